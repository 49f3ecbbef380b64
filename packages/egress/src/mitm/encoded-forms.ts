import { percentEncoded } from "./inject.ts";

/** Maximum length in bytes of a value that is searched for in all forms, not only the most common ones. */
const MAX_ENCODED = 1_024;

/**
 * Returns the forms in which hosts write a value: plain, in JSON, XML, HTML, a URL, hexadecimal, and base64
 * at any offset. Text has one character per byte.
 */
export function encodedForms(value: string): Set<string> {
  const bytes = Buffer.from(value);
  const text = bytes.toString("latin1");
  const few = [...commonForms(value)];
  if (bytes.length > MAX_ENCODED) return new Set(few);
  const hex = bytes.toString("hex");
  return new Set([
    ...few,
    ...jsonForms(text, value),
    ...markupForms(text),
    ...urlForms([percentEncoded(value), encodeURIComponent(value.toWellFormed())]),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
  ]);
}

/** Returns the plain, JSON and URL forms of a value. */
export function commonForms(value: string): Set<string> {
  const text = Buffer.from(value).toString("latin1");
  return new Set([text, jsonInside(text), percentEncoded(value), encodeURIComponent(value.toWellFormed())]);
}

function jsonInside(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the JSON forms: some encoders escape slashes, HTML characters, or everything outside ASCII. */
function jsonForms(text: string, value: string): string[] {
  const escaped = (form: string, characters: RegExp): string =>
    form.replace(characters, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const [bytes, ascii] = [jsonInside(text), escaped(jsonInside(value), /[\x7f-\uffff]/g)];
  return [bytes, ascii].flatMap((form) => [
    form,
    form.replaceAll("/", "\\/"),
    escaped(form, /[&<>]/g),
    escaped(form, /[&<>']/g),
  ]);
}

/** Returns the XML and HTML forms: named entities, and the usual ways to escape quotes. */
function markupForms(text: string): string[] {
  const inside = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quoted = inside.replaceAll('"', "&quot;");
  return [
    inside,
    quoted,
    inside.replaceAll('"', "&#34;").replaceAll("'", "&#39;"),
    quoted.replaceAll("'", "&#39;"),
    quoted.replaceAll("'", "&#x27;"),
  ];
}

/** Returns each form also with spaces as plus signs, as in form bodies, and with escapes in lower case. */
function urlForms(forms: readonly string[]): string[] {
  const lower = (form: string): string => form.replace(/%../g, (one) => one.toLowerCase());
  return forms.flatMap((form) => [form, form.replaceAll("%20", "+")]).flatMap((form) => [form, lower(form)]);
}

/** Encodes bytes as base64 at an offset, without the characters that also encode bits of adjacent bytes. */
function base64At(bytes: Buffer, offset: number): string[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  const form = text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
}
