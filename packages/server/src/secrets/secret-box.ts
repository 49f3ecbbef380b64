import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** The one place in the database that a sealed secret is good for: moved to another, it does not open. */
export interface SecretPlace {
  table: string;
  /** What names the row: its uuid where it has one. */
  row: string;
  column: string;
}

/** Seals secrets for the database and opens them again. AES-256-GCM, a random nonce each, bound to their place. */
export interface SecretBox {
  seal(place: SecretPlace, secret: string): Buffer;
  /** @throws when the envelope was altered, moved, or sealed with a key that is not here. */
  open(place: SecretPlace, envelope: Buffer): string;
}

export interface SecretBoxOptions {
  /** Told each secret that is sealed or opened, so that it can be kept out of logs. */
  onSecret?: ((secret: string) => void) | undefined;
  /** Opens what was sealed before the key was replaced; nothing is sealed with it. */
  formerKey?: Uint8Array | null;
}

const VERSION = 2;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** What an envelope of one key begins with: version and key. */
export const MARK_BYTES = 1 + KEY_ID_BYTES;

/** An envelope is a version byte, the id of its key, the nonce, the tag and the ciphertext. */
export function createSecretBox(secretKey: Uint8Array, options: SecretBoxOptions = {}): SecretBox {
  const { onSecret = () => undefined, formerKey = null } = options;
  const active = sealingKey(secretKey);
  const former = formerKey === null ? null : sealingKey(formerKey);

  function keyFor(envelope: Buffer): SealingKey {
    const [version] = envelope;
    // Those of version 1 do not name their key; they are of the oldest that is here.
    if (version === 1) return former ?? active;
    const mark = envelope.subarray(0, MARK_BYTES);
    const key = [active, former].find((one) => one?.mark.equals(mark));
    if (key != null) return key;
    throw new Error(
      version === VERSION
        ? "A stored secret was sealed with another key than the installation's."
        : "A stored secret has an unknown form.",
    );
  }

  return {
    seal(place, secret) {
      onSecret(secret);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", active.key, nonce).setAAD(associated(VERSION, place));
      const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([active.mark, nonce, cipher.getAuthTag(), sealed]);
    },
    open(place, envelope) {
      const { key } = keyFor(envelope);
      const version = envelope[0] ?? 0;
      const body = envelope.subarray(version === 1 ? 1 : MARK_BYTES);
      if (body.length < NONCE_BYTES + TAG_BYTES) throw new Error("A stored secret has an unknown form.");
      const decipher = createDecipheriv("aes-256-gcm", key, body.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(associated(version, place))
        .setAuthTag(body.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const opened = [decipher.update(body.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
      const secret = Buffer.concat(opened).toString("utf8");
      onSecret(secret);
      return secret;
    },
  };
}

/** What every envelope of a key begins with. It tells nothing of the key. */
export function envelopeMark(secretKey: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(VERSION), derivedKey(secretKey, "key id").subarray(0, KEY_ID_BYTES)]);
}

/** A key for one purpose, so that no two uses share one. */
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

function associated(version: number, { table, row, column }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([version, table, row, column]));
}
