import { createHmac, randomBytes, randomInt } from "node:crypto";
import { tokenHash } from "@berth/store/access";
import { derivedKey } from "@berth/store/secrets";

/** Consonants that cannot be mistaken for one another and form no words. Eight of them have 34 bits. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const FORM = new RegExp(`^[${LETTERS}]{8}$`);

/** Returns a new code with which a device polls, of 256 bits. */
export function newDeviceCode(): string {
  return randomBytes(32).toString("base64url");
}

/** Returns a new code for a user to type, such as `WDJB-MJHT`. */
export function newUserCode(): string {
  const letters = Array.from({ length: 8 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Derives the installation's key for hashing user codes. */
export function userCodeKey(secretKey: Uint8Array): Buffer {
  return derivedKey(secretKey, "user codes");
}

export const deviceCodeHash = tokenHash;

/**
 * Returns the hash under which a user code is stored and found; null when the text cannot be a code.
 *
 * @param key of the installation: without one, somebody with a copy of the database could try all codes.
 * @param typed in any case, with any spaces, dashes and underscores.
 */
export function userCodeHash(key: Uint8Array, typed: string): Buffer | null {
  const letters = typed.replaceAll(/[\s\-_]/g, "").toUpperCase();
  return FORM.test(letters) ? createHmac("sha256", key).update(letters).digest() : null;
}
