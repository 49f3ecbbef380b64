import { stripVTControlCharacters } from "node:util";
import { startOf } from "./width.ts";

/**
 * Makes text from a model or a command safe for a terminal: removes escape sequences, control characters except newline,
 * and marks that change the text direction. Of a line with carriage returns, the last part is kept.
 */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.split("\r").findLast((part) => part !== "") ?? "")
    .join("\n")
    .replaceAll("\t", "    ")
    .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
}

/** Like `plainText`, on one line. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll("\n", " ");
}

/** Cuts text to `width` columns of a terminal, the last of which is then `…`. */
export function cut(text: string, width: number): string {
  return startOf(text, width) === text ? text : `${startOf(text, width - 1)}…`;
}

/** The first lines of a text, without empty lines at its start and end, and the number of lines left out. */
export function firstLines(text: string, count: number): { lines: string[]; more: number } {
  const lines = text
    .replace(/^(\s*\n)+/, "")
    .trimEnd()
    .split("\n");
  // "1 more line" takes as much space as the line itself.
  if (lines.length <= count + 1) return { lines, more: 0 };
  return { lines: lines.slice(0, count), more: lines.length - count };
}
