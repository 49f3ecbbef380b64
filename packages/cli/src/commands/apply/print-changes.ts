import { type Palette, paletteFor } from "../../terminal/palette.ts";
import { cut, plainLine } from "../../terminal/plain-text.ts";
import { printLine } from "../../terminal/print.ts";
import { differingPart, type FieldChange } from "./field-changes.ts";

const MOST_LINES = 40;
const MOST_TEXT_LINES = 10;
const WIDTH = 160;

/** Prints changes, removed lines in red and added lines in green, at most 40 lines for an object. */
export function printChanges(changes: readonly FieldChange[]): void {
  const palette = paletteFor(process.stdout);
  const lines = changes.flatMap((change) => linesOf(change, palette));
  for (const line of lines.slice(0, MOST_LINES)) printLine(`  ${line}`);
  const rest = lines.length - MOST_LINES;
  if (rest > 0) printLine(`  ${palette.dim(`… ${rest} more ${rest === 1 ? "line" : "lines"}`)}`);
}

function linesOf({ field, before, after }: FieldChange, { red, green, dim }: Palette): string[] {
  if (typeof before === "string" && typeof after === "string" && `${before}${after}`.includes("\n"))
    return textLines(field, before.split("\n"), after.split("\n"), { red, green, dim });
  const line = (sign: string, value: unknown) => cut(plainLine(`${sign} ${field}: ${shown(value)}`), WIDTH);
  return [
    ...(before === undefined ? [] : [red(line("-", before))]),
    ...(after === undefined ? [] : [green(line("+", after))]),
  ];
}

/** Returns the lines of a text that differ. */
function textLines(
  field: string,
  before: readonly string[],
  after: readonly string[],
  { red, green, dim }: Pick<Palette, "red" | "green" | "dim">,
): string[] {
  const { start, ends } = differingPart(before, after);
  const side = (sign: string, lines: readonly string[], style: (text: string) => string) => {
    const rest = lines.length - MOST_TEXT_LINES;
    return [
      ...lines.slice(0, MOST_TEXT_LINES).map((line) => style(cut(plainLine(`  ${sign} ${line}`), WIDTH))),
      ...(rest > 0 ? [dim(`  ${sign} … ${rest} more ${rest === 1 ? "line" : "lines"}`)] : []),
    ];
  };
  return [
    plainLine(`~ ${field}, from line ${start + 1}:`),
    ...side("-", before.slice(start, ends[0]), red),
    ...side("+", after.slice(start, ends[1]), green),
  ];
}

function shown(value: unknown): string {
  return typeof value === "string" && /^[\w./:-]+$/.test(value) ? value : JSON.stringify(value);
}
