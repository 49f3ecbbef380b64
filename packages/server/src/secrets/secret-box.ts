import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** The one place in the database that a sealed secret is good for: moved to another, it does not open. */
export interface SecretPlace {
  table: string;
  /** uuid. */
  row: string;
  column: string;
}

/** Seals secrets for the database and opens them again. AES-256-GCM, a random nonce each, bound to their place. */
export interface SecretBox {
  seal(place: SecretPlace, secret: string): Buffer;
  /** @throws when the envelope was altered, moved, or sealed with another key. */
  open(place: SecretPlace, envelope: Buffer): string;
}

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * An envelope is a version byte, the nonce, the tag and the ciphertext. `onSecret` is told each secret that is sealed or
 * opened, so that it can be kept out of logs.
 */
export function createSecretBox(
  secretKey: Uint8Array,
  onSecret: (secret: string) => void = () => undefined,
): SecretBox {
  const key = derivedKey(secretKey, "secrets at rest");
  return {
    seal(place, secret) {
      onSecret(secret);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(associated(place));
      const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
    },
    open(place, envelope) {
      if (envelope[0] !== VERSION || envelope.length < HEAD_BYTES) {
        throw new Error("A stored secret has an unknown form.");
      }
      const nonce = envelope.subarray(1, 1 + NONCE_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(associated(place))
        .setAuthTag(envelope.subarray(1 + NONCE_BYTES, HEAD_BYTES));
      const opened = [decipher.update(envelope.subarray(HEAD_BYTES)), decipher.final()];
      const secret = Buffer.concat(opened).toString("utf8");
      onSecret(secret);
      return secret;
    },
  };
}

/** A key for one purpose, so that no two uses share one. */
export function derivedKey(secretKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secretKey, new Uint8Array(), `berth: ${purpose}`, 32));
}

function associated({ table, row, column }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([VERSION, table, row, column]));
}
