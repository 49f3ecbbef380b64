import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * Kinds of tokens that belong to an organization.
 *
 * A token's text is a prefix, 40 base62 characters (238 bits) and their CRC-32 as 6 base62 characters. The
 * prefix is `berth_pat_`, `berth_sat_`, `berth_operator_` for an operator, or `berth_console_` for a console
 * sign-in. The checksum lets scanners and this service reject a mistyped token without a database query.
 */
export type TokenKind = "pat" | "sat" | "console";

/** All kinds; operator tokens belong to no organization. */
type SecretKind = TokenKind | "operator";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const FORM = /^berth_(pat|sat|console|operator)_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/;

/** Returns a new random token. */
export function newTokenSecret(kind: SecretKind): string {
  const body = Array.from({ length: 40 }, () => DIGITS.charAt(randomInt(62))).join("");
  return `berth_${kind}_${body}${checksum(body)}`;
}

/** Returns whether the text can be a token of a user or service account. A console sign-in cannot. */
export function isTokenSecret(text: string): boolean {
  const kind = kindOf(text);
  return kind === "pat" || kind === "sat";
}

/** Returns whether the text can be an operator token. */
export function isOperatorSecret(text: string): boolean {
  return kindOf(text) === "operator";
}

/** Returns whether the text can be a console sign-in, which is valid only as a cookie. */
export function isSignInSecret(text: string): boolean {
  return kindOf(text) === "console";
}

function kindOf(text: string): SecretKind | null {
  const [, kind, body, check] = FORM.exec(text) ?? [];
  return body !== undefined && checksum(body) === check ? (kind as SecretKind) : null;
}

/** Returns the hash that is stored in place of the secret and by which tokens are looked up. */
export function tokenHash(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function checksum(body: string): string {
  let value = crc32(body);
  let text = "";
  for (let i = 0; i < 6; i++) {
    text = DIGITS.charAt(value % 62) + text;
    value = Math.floor(value / 62);
  }
  return text;
}
