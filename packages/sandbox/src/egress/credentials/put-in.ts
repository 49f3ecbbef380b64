import type { SandboxCredential } from "../../sandbox.ts";
import { placeholderPattern } from "./token-shape.ts";

/** How a value has to be written where it is put in. */
export type Encoding = "header" | "percent" | "json" | "xml" | "plain";

/** A value holds what its place cannot carry. The message is one sentence, without the value. */
export class Unfit extends Error {
  override readonly name = "Unfit";
}

/**
 * The text with the value in place of each placeholder. Text is one character a byte (Latin-1), and so is the answer: a value
 * goes in as its UTF-8 bytes. @throws Unfit
 */
export function putIn(text: string, credentials: readonly SandboxCredential[], encoding: Encoding): string {
  if (!credentials.some(({ placeholder }) => text.includes(placeholder))) return text;
  const values = new Map(credentials.map(({ placeholder, value }) => [placeholder, value]));
  return text.replace(placeholderPattern([...values.keys()]), (_all, placeholder: string) =>
    encode(values.get(placeholder) ?? "", encoding),
  );
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
