import { ByteReplacer, type Replacement } from "./byte-replacer.ts";
import { encodedForms } from "./encoded-forms.ts";
import type { ProxiedCredential } from "./proxied-credential.ts";
import { withTokenPrefix } from "./token-prefix.ts";

/** Shorter values are ordinary words: a page without them would not be readable. */
const MIN_LENGTH = 6;

/** Replaces the values of credentials in a response by their placeholders. */
export interface Redactor {
  /** Text with one character per byte. */
  text(text: string): string;
  /** For a body. */
  stream(): ByteReplacer;
  /** For a body whose length must not change: placeholders are cut, or padded with asterisks. */
  streamOfSameLength(): ByteReplacer;
}

export function createRedactor(credentials: readonly ProxiedCredential[]): Redactor {
  const replacements = new Map<string, string>();
  for (const { value, placeholder } of credentials) {
    const inside = withTokenPrefix(value, placeholder);
    for (const form of value.length < MIN_LENGTH ? [] : encodedForms(value)) replacements.set(form, inside);
  }
  return {
    text: (text) => replaceAll(text, replacements),
    stream: () => new ByteReplacer([...replacements].map(asBytes)),
    streamOfSameLength: () => new ByteReplacer([...replacements].map(ofSameLength).map(asBytes)),
  };
}

/** Leftmost match first, the longest of those. Not a regular expression: values may be too long for one. */
function replaceAll(text: string, replacements: ReadonlyMap<string, string>): string {
  const found = [...replacements].filter(([form]) => text.includes(form));
  const longestFirst = found.sort(([one], [other]) => other.length - one.length);
  let done = "";
  for (let at = 0; ; ) {
    let first: { index: number; form: string; put: string } | null = null;
    for (const [form, put] of longestFirst) {
      const index = text.indexOf(form, at);
      if (index >= 0 && index < (first?.index ?? text.length)) first = { index, form, put };
    }
    if (first === null) return done + text.slice(at);
    done += text.slice(at, first.index) + first.put;
    at = first.index + first.form.length;
  }
}

function asBytes([find, put]: [string, string]): Replacement {
  return { find: Buffer.from(find, "latin1"), put: Buffer.from(put, "latin1") };
}

function ofSameLength([find, put]: [string, string]): [string, string] {
  return [find, put.padEnd(find.length, "*").slice(0, find.length)];
}
