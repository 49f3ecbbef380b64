import type { SandboxCredential } from "../policy/types.ts";
import { type Replacement, Replacer } from "./byte-replacer.ts";
import { inShapeOf } from "./token-prefix.ts";
import { formsOf } from "./encoded-forms.ts";

/** Shorter ones are ordinary words, which a page without them would not be readable. */
const shortest = 6;

/** Takes values out of what a host answers: each becomes its placeholder again. */
export interface TakeOut {
  /** Text of one character a byte. */
  text(text: string): string;
  /** For a body. */
  stream(): Replacer;
  /** For a body whose length stays what it was told to be. */
  streamOfSameLength(): Replacer;
}

export function takeOut(credentials: readonly SandboxCredential[]): TakeOut {
  const replacements = new Map<string, string>();
  for (const { value, placeholder } of credentials) {
    const inside = inShapeOf(value, placeholder);
    for (const form of value.length < shortest ? [] : formsOf(value)) replacements.set(form, inside);
  }
  return {
    text: (text) => replaceAll(text, replacements),
    stream: () => new Replacer([...replacements].map(asBytes)),
    streamOfSameLength: () => new Replacer([...replacements].map(ofSameLength).map(asBytes)),
  };
}

/** Leftmost first, of those the longest. Not by a pattern: values are longer than patterns may be. */
function replaceAll(text: string, replacements: ReadonlyMap<string, string>): string {
  const found = [...replacements].filter(([form]) => text.includes(form));
  const longestFirst = found.sort(([one], [other]) => other.length - one.length);
  let given = "";
  for (let at = 0; ; ) {
    let first: { place: number; form: string; put: string } | null = null;
    for (const [form, put] of longestFirst) {
      const place = text.indexOf(form, at);
      if (place >= 0 && place < (first?.place ?? text.length)) first = { place, form, put };
    }
    if (first === null) return given + text.slice(at);
    given += text.slice(at, first.place) + first.put;
    at = first.place + first.form.length;
  }
}

function asBytes([find, put]: [string, string]): Replacement {
  return { find: Buffer.from(find, "latin1"), put: Buffer.from(put, "latin1") };
}

function ofSameLength([find, put]: [string, string]): [string, string] {
  return [find, put.padEnd(find.length, "*").slice(0, find.length)];
}
