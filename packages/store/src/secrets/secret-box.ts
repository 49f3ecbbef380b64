import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { SecretLocation } from "./sealed-columns.ts";

export interface SecretBoxOptions {
  /** Called with each secret that is sealed or opened, so that it can be kept out of logs. */
  onSecret?: ((secret: string) => void) | undefined;
  /** The key that was replaced. It opens secrets that were sealed with it, and seals none. */
  formerKey?: Uint8Array | null;
}

const VERSION = 1;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Number of bytes at the beginning of an envelope: its version and the id of its key. */
export const MARK_BYTES = 1 + KEY_ID_BYTES;
/** Maximum number of bytes by which an envelope is longer than its secret. */
export const ENVELOPE_BYTES = MARK_BYTES + NONCE_BYTES + TAG_BYTES;

/**
 * Seals secrets for the database and opens them again. It uses AES-256-GCM with a random nonce for each,
 * bound to their location. An envelope is a version byte, the id of its key, the nonce, the tag and the
 * ciphertext.
 */
export class SecretBox {
  readonly #active: SealingKey;
  readonly #former: SealingKey | null;
  readonly #onSecret: (secret: string) => void;

  constructor(
    secretKey: Uint8Array,
    { onSecret = () => undefined, formerKey = null }: SecretBoxOptions = {},
  ) {
    this.#active = sealingKey(secretKey);
    this.#former = formerKey === null ? null : sealingKey(formerKey);
    this.#onSecret = onSecret;
  }

  seal(location: SecretLocation, secret: string): Buffer {
    this.#onSecret(secret);
    const { key, mark } = this.#active;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(associated(location));
    const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
    return Buffer.concat([mark, nonce, cipher.getAuthTag(), sealed]);
  }

  /**
   * Opens an envelope.
   * @throws when the envelope was altered, moved, or sealed with an unknown key.
   */
  open(location: SecretLocation, envelope: Buffer): string {
    const { key } = this.#keyFor(envelope);
    const body = envelope.subarray(MARK_BYTES);
    if (body.length < NONCE_BYTES + TAG_BYTES) throw new Error("A stored secret has an unknown form.");
    const decipher = createDecipheriv("aes-256-gcm", key, body.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(associated(location))
      .setAuthTag(body.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const opened = [decipher.update(body.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    const secret = Buffer.concat(opened).toString("utf8");
    this.#onSecret(secret);
    return secret;
  }

  #keyFor(envelope: Buffer): SealingKey {
    const mark = envelope.subarray(0, MARK_BYTES);
    const key = [this.#active, this.#former].find((one) => one?.mark.equals(mark));
    if (key != null) return key;
    throw new Error(
      envelope[0] === VERSION
        ? "A stored secret was sealed with another key than the installation's."
        : "A stored secret has an unknown form.",
    );
  }
}

/** Returns the first bytes of every envelope of a key. They disclose nothing of the key. */
export function envelopeMark(secretKey: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(VERSION), derivedKey(secretKey, "key id").subarray(0, KEY_ID_BYTES)]);
}

/** Derives a key for one purpose, so that no two uses share one. */
export function derivedKey(secretKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secretKey, new Uint8Array(), `berth: ${purpose}`, 32));
}

interface SealingKey {
  key: Buffer;
  mark: Buffer;
}

function sealingKey(secretKey: Uint8Array): SealingKey {
  return { key: derivedKey(secretKey, "secrets at rest"), mark: envelopeMark(secretKey) };
}

function associated({ table, row, column }: SecretLocation): Buffer {
  return Buffer.from(JSON.stringify([VERSION, table, row, column]));
}
