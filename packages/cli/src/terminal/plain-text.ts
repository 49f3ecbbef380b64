import { stripVTControlCharacters } from "node:util";
import { startOf } from "./width.ts";

/**
 * Makes text from a model or a command safe for a terminal. Removes escape sequences, control characters
 * except newline, and marks that change the text direction. Keeps only the last part of a line with carriage
 * returns.
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

/** Converts text like `plainText`, to one line. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll("\n", " ");
}

/** Cuts text to `width` terminal columns, the last of which is then `…`. */
export function cut(text: string, width: number): string {
  return startOf(text, width) === text ? text : `${startOf(text, width - 1)}…`;
}

/** Returns the first lines of a text, without empty lines around it, and how many lines are left out. */
export function firstLines(text: string, count: number): { lines: string[]; more: number } {
  const lines = text
    .replace(/^(\s*\n)+/, "")
    .trimEnd()
    .split("\n");
  // A line "1 more line" takes as much space as the line itself.
  if (lines.length <= count + 1) return { lines, more: 0 };
  return { lines: lines.slice(0, count), more: lines.length - count };
}
