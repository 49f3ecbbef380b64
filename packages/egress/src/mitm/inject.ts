import type { ProxiedCredential } from "./proxied-credential.ts";
import { placeholderPattern } from "./token-prefix.ts";

/** Encoding that a value needs in the place where it is injected. */
export type Encoding = "header" | "percent" | "json" | "xml" | "plain";

/**
 * Maximum number of characters of a text after injection. A short placeholder may occur a thousand times, and
 * its value may be long.
 */
export const MAX_INJECTED = 512 * 1024;

/**
 * Thrown when a value cannot be encoded where it is requested, or makes the text too long. The message is one
 * sentence, without the value.
 */
export class UnencodableCredential extends Error {
  override readonly name = "UnencodableCredential";
}

/**
 * Replaces each placeholder in the text with its value. Text and result have one character per byte
 * (Latin-1); a value is injected as its UTF-8 bytes.
 * @throws UnencodableCredential
 */
export function inject(text: string, credentials: readonly ProxiedCredential[], encoding: Encoding): string {
  const requested = credentials.filter(({ placeholder }) => text.includes(placeholder));
  if (requested.length === 0) return text;
  const forms = new Map(requested.map(({ placeholder, value }) => [placeholder, encode(value, encoding)]));
  let { length } = text;
  return text.replace(placeholderPattern([...forms.keys()]), (_all, placeholder: string) => {
    const form = forms.get(placeholder) ?? "";
    length += form.length;
    if (length > MAX_INJECTED)
      throw new UnencodableCredential("A request is too long with the credentials that it asks for.");
    return form;
  });
}

/**
 * Injects like `inject` into a header's value, also in base64 of Basic authentication.
 * @throws UnencodableCredential
 */
export function injectInHeader(
  name: string,
  value: string,
  credentials: readonly ProxiedCredential[],
): string {
  const basic = name.toLowerCase() === "authorization" ? /^(basic +)([^ ]+) *$/i.exec(value) : null;
  if (basic?.[1] === undefined || basic[2] === undefined) return inject(value, credentials, "header");
  const pair = echoedPair(basic[2], credentials) ?? Buffer.from(basic[2], "base64").toString("latin1");
  const injected = inject(pair, credentials, "plain");
  return injected === pair ? value : basic[1] + Buffer.from(injected, "latin1").toString("base64");
}

/**
 * Returns the user name and placeholder of a Basic credential that a host has echoed, as Git LFS servers do
 * for the next request. The redacted response had the placeholder where the base64 of the value was. Returns
 * null for any other text.
 */
function echoedPair(encoded: string, credentials: readonly ProxiedCredential[]): string | null {
  for (const { placeholder } of credentials) {
    const parts = encoded.split(placeholderPattern([placeholder]));
    const [before = "", , after = ""] = parts;
    const isEnd = parts.length === 3 && /^[A-Za-z0-9+/]?={0,2}$/.test(after);
    if (isEnd && /^[A-Za-z0-9+/]*$/.test(before))
      return Buffer.from(before, "base64").toString("latin1") + placeholder;
  }
  return null;
}

function encode(value: string, encoding: Encoding): string {
  if (encoding === "percent") return percentEncoded(value);
  const bytes = Buffer.from(value).toString("latin1");
  if (encoding === "json") return JSON.stringify(bytes).slice(1, -1);
  if (encoding === "xml") return bytes.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  if (encoding === "header" && /[^\t\x20-\x7e\x80-\xff]/.test(bytes)) {
    throw new UnencodableCredential("A credential holds characters that no header can carry.");
  }
  return bytes;
}

/** Percent-encodes a value for URLs and form bodies: every byte except unreserved characters is escaped. */
export function percentEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/[!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
