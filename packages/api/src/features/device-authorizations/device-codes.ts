import { createHmac, randomBytes, randomInt } from "node:crypto";
import { tokenHash } from "@berth/store/access";
import { derivedKey } from "@berth/store/secrets";

/** Consonants that are not mistaken for one another, nor make words. Eight of them are 34 bits. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const FORM = new RegExp(`^[${LETTERS}]{8}$`);

/** The code that a device polls with, 256 bits. */
export function newDeviceCode(): string {
  return randomBytes(32).toString("base64url");
}

/** The code that a user types: `WDJB-MJHT`. */
export function newUserCode(): string {
  const letters = Array.from({ length: 8 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** The installation's key of user codes. */
export function userCodeKey(secretKey: Uint8Array): Buffer {
  return derivedKey(secretKey, "user codes");
}

export const deviceCodeHash = tokenHash;

/**
 * What is stored in place of a user code, and looked up by; null for what can be none.
 *
 * @param key of the installation: without one, somebody with a copy of the database could try all codes.
 * @param typed in any case, with any spaces and dashes.
 */
export function userCodeHash(key: Uint8Array, typed: string): Buffer | null {
  const letters = typed.replaceAll(/[\s\-_]/g, "").toUpperCase();
  return FORM.test(letters) ? createHmac("sha256", key).update(letters).digest() : null;
}
