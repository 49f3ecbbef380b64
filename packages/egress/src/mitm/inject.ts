import type { SandboxCredential } from "../policy/types.ts";
import { placeholderPattern } from "./token-prefix.ts";

/** How a value has to be written where it is put in. */
export type Encoding = "header" | "percent" | "json" | "xml" | "plain";

/** What a text may come to with the values in it. A placeholder is short and may stand a thousand times; a value may be long. */
export const longestFilled = 512 * 1024;

/** A value holds what its place cannot carry, or is too long for it. The message is one sentence, without the value. */
export class Unfit extends Error {
  override readonly name = "Unfit";
}

/**
 * The text with the value in place of each placeholder. Text is one character a byte (Latin-1), and so is the answer: a value
 * goes in as its UTF-8 bytes. @throws Unfit
 */
export function putIn(text: string, credentials: readonly SandboxCredential[], encoding: Encoding): string {
  const asked = credentials.filter(({ placeholder }) => text.includes(placeholder));
  if (asked.length === 0) return text;
  const forms = new Map(asked.map(({ placeholder, value }) => [placeholder, encode(value, encoding)]));
  let { length } = text;
  return text.replace(placeholderPattern([...forms.keys()]), (_all, placeholder: string) => {
    const form = forms.get(placeholder) ?? "";
    length += form.length;
    if (length > longestFilled)
      throw new Unfit("A request is too long with the credentials that it asks for.");
    return form;
  });
}

/** A header's value, also where it carries a placeholder in the base64 of Basic authentication. @throws Unfit */
export function putInHeader(name: string, value: string, credentials: readonly SandboxCredential[]): string {
  const basic = name.toLowerCase() === "authorization" ? /^(basic +)([^ ]+) *$/i.exec(value) : null;
  if (basic?.[1] === undefined || basic[2] === undefined) return putIn(value, credentials, "header");
  const pair = Buffer.from(basic[2], "base64").toString("latin1");
  const filled = putIn(pair, credentials, "plain");
  return filled === pair ? value : basic[1] + Buffer.from(filled, "latin1").toString("base64");
}

function encode(value: string, encoding: Encoding): string {
  if (encoding === "percent") return percentEncoded(value);
  const bytes = Buffer.from(value).toString("latin1");
  if (encoding === "json") return JSON.stringify(bytes).slice(1, -1);
  if (encoding === "xml") return bytes.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  if (encoding === "header" && /[^\t\x20-\x7e\x80-\xff]/.test(bytes)) {
    throw new Unfit("A credential holds characters that no header can carry.");
  }
  return bytes;
}

/** In the form that a URL and a form body share: every byte but unreserved ones is escaped. */
export function percentEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/[!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
