import { stripVTControlCharacters } from "node:util";

/**
 * Text of a model or a command as it may stand on a terminal: no escape sequences, no control characters but newline,
 * no marks that turn the reading direction. Of a line that was overwritten by carriage returns the last state stays.
 */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.split("\r").findLast((part) => part !== "") ?? "")
    .join("\n")
    .replaceAll("\t", "    ")
    .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll("\n", " ");
}

/** At most `width` characters; what was cut shows as `…`. */
export function cut(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

/** The first lines of a text, without empty ones at its ends, and how many were left out. */
export function firstLines(text: string, count: number): { lines: string[]; more: number } {
  const lines = text
    .replace(/^(\s*\n)+/, "")
    .trimEnd()
    .split("\n");
  // Naming one hidden line takes as much room as showing it.
  if (lines.length <= count + 1) return { lines, more: 0 };
  return { lines: lines.slice(0, count), more: lines.length - count };
}
