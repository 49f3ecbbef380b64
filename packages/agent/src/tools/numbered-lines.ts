import { encodingOf, fileText } from "./replace-text.ts";
import { kibibytes, linesWithin } from "./result-form.ts";
import { countOf, failure, type ToolResult, textResult } from "./tool.ts";

const MAX_LINE_LENGTH = 2_000;

/** Returns whether a file is binary: it has a NUL and does not begin as UTF-16. */
export function isBinary(bytes: Uint8Array): boolean {
  return encodingOf(bytes) === "bytes" && bytes.subarray(0, 8_192).includes(0);
}

/**
 * Formats lines, each with its number and a tab. The result has as many lines as fit into `maxBytes`, but at
 * least one. `file.bytes` is the whole file, or with part
 * `lines` it starts at the requested line. CR LF line ends are mentioned once and not shown in each line.
 */
export function numberedLines(
  file: { bytes: Buffer; part: "whole" | "lines" | "head" },
  { first, count }: { first: number; count: number },
  maxBytes: number,
): ToolResult {
  if (file.bytes.length === 0 && file.part === "whole") return textResult("(The file is empty.)");
  const text = fileText(file.bytes);
  const all = text.replace(/\r?\n$/, "").split("\n");
  const skipped = file.part === "whole" ? first - 1 : 0;
  if (skipped >= all.length || text === "") {
    const length = file.part === "whole" ? ` It has ${countOf(all.length, "line")}.` : "";
    return failure(`Line ${first} is beyond the end of the file.${length}`);
  }
  const numbered = all
    .slice(skipped, skipped + count)
    .map((line, index) => `${first + index}\t${shownLine(line)}`);
  const shown = linesWithin(numbered, maxBytes);
  const cut = shown.length < numbered.length ? maxBytes : null;
  const span = { first, last: first + shown.length - 1, left: all.length - skipped };
  const long = all.slice(skipped, skipped + shown.length).findIndex(isLong);
  const notes = long >= 0 ? [longLinesNote(first + long)] : [];
  return textResult([...shown, ...notes, ...remarks(file, text, span, cut)].join("\n"));
}

const LONG_LINES = "[Long lines are cut.";

/** Returns whether equal results can hide different lines, because ends of lines are not shown. */
export function hidesChanges(result: string): boolean {
  return [LONG_LINES, MIXED_LINE_ENDS].some((remark) => result.includes(`\n${remark}`));
}

/** @param line the number of the first line that is cut. */
function longLinesNote(line: number): string {
  return `${LONG_LINES} Use Bash for the rest, such as sed -n ${line}p FILE | cut -c ${MAX_LINE_LENGTH + 1}-]`;
}

function isLong(line: string): boolean {
  return line.replace(/\r$/, "").length > MAX_LINE_LENGTH;
}

function shownLine(line: string): string {
  const bare = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (bare.length <= MAX_LINE_LENGTH) return bare;
  return `${bare.slice(0, MAX_LINE_LENGTH).toWellFormed()} [… ${bare.length - MAX_LINE_LENGTH} more characters]`;
}

/** @param cut the limit in bytes if lines were left out because of it, else null. */
function remarks(
  file: { bytes: Buffer; part: string },
  text: string,
  { first, last, left }: { first: number; last: number; left: number },
  cut: number | null,
): string[] {
  const lines: string[] = [];
  if (file.part === "whole" && left > last - first + 1) {
    lines.push(`[Lines ${first} to ${last} of ${first - 1 + left}. Use offset to read on.]`);
  }
  if (file.part === "lines" && cut !== null) {
    lines.push(`[Cut after line ${last}, at ${kibibytes(cut)}. Use offset to read on.]`);
  } else if (file.part === "lines" && left > last - first + 1) {
    lines.push(`[Lines ${first} to ${last}. Use offset to read on.]`);
  } else if (file.part === "lines" && file.bytes.length > 262_144) {
    lines.push(`[Cut after 256 KiB, in line ${last}. Read fewer lines at once.]`);
  }
  if (text.includes("\r\n")) lines.push(endsDiffer(text) ? MIXED_LINE_ENDS : "[Lines end in CR LF.]");
  if (encodingOf(file.bytes) !== "bytes") lines.push("[The file is UTF-16.]");
  return lines;
}

const MIXED_LINE_ENDS = "[Some lines end in CR LF, others in LF.]";

function endsDiffer(text: string): boolean {
  return /(^|[^\r])\n/.test(text);
}
