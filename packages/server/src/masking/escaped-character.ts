/** A character and how many characters of the text stand for it. */
export interface Written {
  character: number;
  length: number;
}

/** A way to write characters by others, all of which begin with `sign`. */
export interface Escaping {
  sign: string;
  /** Groups: two hexadecimal digits, four, octal digits, or another character. */
  pattern: RegExp;
  /** What may become an escaped character when the text goes on. */
  unfinished: RegExp;
}

/** `%41`, as in URLs. */
export const PERCENT: Escaping = { sign: "%", pattern: /%([0-9a-f]{2})/iy, unfinished: /%[0-9a-f]?$/iy };

/** `\x41`, `\u0041`, `\101`, `\n` and `\A`, as in JSON and shells. */
export const BACKSLASH: Escaping = {
  sign: "\\",
  pattern: /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|([0-3][0-7]{2})|([\s\S]))/iy,
  unfinished: /\\(?:x[0-9a-f]?|u[0-9a-f]{0,3}|[0-3][0-7]?)?$/iy,
};

const NAMED: ReadonlyMap<string | undefined, number> = new Map(
  Object.entries({ n: 10, r: 13, t: 9, a: 7, b: 8, f: 12, v: 11, e: 27, E: 27 }),
);

/**
 * The character that is written at `index`.
 *
 * @returns null when that depends on how the text goes on.
 */
export function characterAt(
  { sign, pattern, unfinished }: Escaping,
  text: string,
  index: number,
  isWhole: boolean,
): Written | null {
  const literal = { character: text.charCodeAt(index), length: 1 };
  if (text[index] !== sign) return literal;
  if (!isWhole && match(unfinished, text, index) !== null) return null;
  const found = match(pattern, text, index);
  if (found === null) return literal;
  const [{ length }, hex2, hex4, octal, other = ""] = found;
  const hex = hex2 ?? hex4;
  if (hex !== undefined) return { character: Number.parseInt(hex, 16), length };
  if (octal !== undefined) return { character: Number.parseInt(octal, 8), length };
  return { character: NAMED.get(other) ?? other.charCodeAt(0), length };
}

function match(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}
