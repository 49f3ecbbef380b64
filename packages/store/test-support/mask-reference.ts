/** A text as read: each character with its position in the text as written. */
type Read = { character: string; start: number; end: number }[];

/**
 * All ways to read a text, by patterns on the whole text. `rangesByReference` searches for a secret in each.
 */
const READINGS: readonly ((text: string) => Read)[] = [
  written,
  (text) => without(written(text), SEQUENCE),
  (text) => without(written(text), /=\r?\n/g),
  (text) => without(decoded(text, /%([0-9a-f]{2})/gi), SEQUENCE),
  backslashes,
  (text) => without(without(written(text), SEQUENCE), MARK),
  (text) => without(without(written(text), SEQUENCE), NUMBER),
  (text) => without(without(without(written(text), SEQUENCE), NUMBER), MARK),
  (text) => without(backslashes(text), MARK),
];

/** An escape character within a sequence begins another one. */
const SEQUENCE =
  /(?:\u001b\[|\u009b)[\x20-\x3f]*(?:[^\u001b]|(?=\u001b)|$)|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|(?=\u001b)|$)|\u001b[()*+\-./#% ](?:[^\u001b]|(?=\u001b)|$)|\u001b(?:[^\u001b]|(?=\u001b)|$)/g;
const MARK = /(?<=\n[ \t]*)(?:[+-]|[>|](?:[ \t]*[>|])*)/g;
const NUMBER = /(?<=\n)(?:[ \t]*\d+[\t: |-]|[^\n/: \t-]*\/[^\n:-]*(?::\d+:|-\d+-|:))/g;
const NAMES: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\u001b",
  E: "\u001b",
};

/**
 * Returns the ranges of a plain ASCII secret in a text, in any order. It is a slow search without any state.
 */
export function rangesByReference(text: string, secret: string): { start: number; end: number }[] {
  return READINGS.flatMap((read) => rangesIn(read(text), folded(secret)));
}

function rangesIn(read: Read, wanted: string): { start: number; end: number }[] {
  const kept = read.filter(({ character }) => folded(character) !== "");
  const units = kept.map(({ character }) => folded(character)).join("");
  const starts = [...units.matchAll(new RegExp(`(?=${RegExp.escape(wanted)})`, "g"))].map(
    ({ index }) => index,
  );
  return starts.map((at) => ({ start: kept[at]?.start ?? 0, end: kept[at + wanted.length - 1]?.end ?? 0 }));
}

function folded(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Z}]/gu, "")
    .toLowerCase()
    .replaceAll("-", "+")
    .replaceAll("_", "/");
}

function written(text: string): Read {
  return Array.from({ length: text.length }, (_, start) => ({
    character: text.charAt(start),
    start,
    end: start + 1,
  }));
}

function decoded(text: string, pattern: RegExp): Read {
  const read: Read = [];
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    read.push(...written(text).slice(at, found.index));
    at = found.index + found[0].length;
    read.push({ character: characterOf(found.slice(1)), start: found.index, end: at });
  }
  return [...read, ...written(text).slice(at)];
}

function backslashes(text: string): Read {
  return without(decoded(text, /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|([0-3][0-7]{2})|([\s\S]))/gi), SEQUENCE);
}

function characterOf([hex2, hex4, octal, other]: readonly (string | undefined)[]): string {
  const hex = hex2 ?? hex4;
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  return NAMES[other ?? ""] ?? other ?? "";
}

function without(read: Read, pattern: RegExp): Read {
  const text = read.map(({ character }) => character).join("");
  const left: Read = [];
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    left.push(...read.slice(at, found.index));
    at = found.index + found[0].length;
  }
  return [...left, ...read.slice(at)];
}
