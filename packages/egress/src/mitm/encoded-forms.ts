import { percentEncoded } from "./inject.ts";

/** Of longer values those forms alone are looked for that most have in common with the value itself. */
const longestEncoded = 4_096;

/**
 * A value as hosts write it: as it is, in JSON, in XML, in a URL, in hexadecimal, and in base64 wherever it begins there. Text is one
 * character a byte.
 */
export function formsOf(value: string): Set<string> {
  const bytes = Buffer.from(value);
  const text = bytes.toString("latin1");
  const few = [text, jsonInside(text), percentEncoded(value), encodeURIComponent(value.toWellFormed())];
  if (bytes.length > longestEncoded) return new Set(few);
  const hex = bytes.toString("hex");
  return new Set([
    ...few,
    ...jsonForms(text, value),
    ...markupForms(text),
    ...urlForms(few.slice(2)),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
  ]);
}

function jsonInside(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Some escape slashes, some what has a meaning in HTML, and some all that is not ASCII. */
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

/** Named where there are names, and quotes in the ways that are usual. */
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

/** Spaces as a form writes them, and escapes in lower case. */
function urlForms(forms: readonly string[]): string[] {
  const lower = (form: string): string => form.replace(/%../g, (one) => one.toLowerCase());
  return forms.flatMap((form) => [form, form.replaceAll("%20", "+")]).flatMap((form) => [form, lower(form)]);
}

/** Without the characters that also hold bits of what stands before or after it. */
function base64At(bytes: Buffer, offset: number): string[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  const form = text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
}
