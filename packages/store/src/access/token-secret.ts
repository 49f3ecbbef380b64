import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * The text of a token: `berth_pat_` or `berth_sat_`, `berth_operator_` for the operator of the installation, or `berth_console_` for a
 * sign-in to the console, 40 base62 characters (238 bits), and their CRC-32 as 6 base62 characters. The checksum lets scanners and this service reject a mistyped token without a database query.
 */
export type TokenKind = "pat" | "sat" | "console";

/** Operator tokens are not among those of organizations. */
type SecretKind = TokenKind | "operator";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const FORM = /^berth_(pat|sat|console|operator)_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/;

export function newTokenSecret(kind: SecretKind): string {
  const body = Array.from({ length: 40 }, () => DIGITS.charAt(randomInt(62))).join("");
  return `berth_${kind}_${body}${checksum(body)}`;
}

/** Whether the text can be a token of an organization's user or service account. A sign-in to the console cannot. */
export function isTokenSecret(text: string): boolean {
  const kind = kindOf(text);
  return kind === "pat" || kind === "sat";
}

/** Whether the text can be an operator token. */
export function isOperatorSecret(text: string): boolean {
  return kindOf(text) === "operator";
}

/** Whether the text can be a sign-in to the console, which is good as a cookie only. */
export function isSignInSecret(text: string): boolean {
  return kindOf(text) === "console";
}

function kindOf(text: string): SecretKind | null {
  const [, kind, body, check] = FORM.exec(text) ?? [];
  return body !== undefined && checksum(body) === check ? (kind as SecretKind) : null;
}

/** What is stored in place of the secret, and looked up by. */
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
