import { stripVTControlCharacters } from "node:util";
import type { Style } from "./palette.ts";
import { cut } from "./plain-text.ts";
import { widthOf } from "./width.ts";

type Rows = readonly (readonly string[])[];

/** Aligns rows in columns, two spaces apart. The last column is not padded. */
export function table(rows: Rows): string[] {
  const widths = widthsOf(rows);
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell + " ".repeat((widths[i] ?? 0) - width(cell))))
      .join("  ")
      .trimEnd(),
  );
}

/** Minimum width of a column that shrinks. */
const LEAST_WIDTH = 8;

/**
 * Formats a table that fits the width of a terminal, if possible.
 * @param head Unstyled headings; `styleHead` is applied to what is left of them.
 * @param shrinks Columns whose cells may be cut, the widest first. They must have no styles.
 * @param columns Width of the terminal; undefined if there is none, so that nothing is cut.
 */
export function fittedTable(
  head: readonly string[],
  rows: Rows,
  {
    shrinks,
    columns = Number.POSITIVE_INFINITY,
    styleHead,
  }: { shrinks: readonly number[]; columns: number | undefined; styleHead: Style },
): string[] {
  const widths = widthsOf([head, ...rows]);
  let excess = widths.reduce((sum, one) => sum + one + 2, -2) - columns;
  for (; excess > 0; excess--) {
    const widest = shrinks.toSorted((one, other) => (widths[other] ?? 0) - (widths[one] ?? 0))[0];
    const width = widest === undefined ? 0 : (widths[widest] ?? 0);
    if (widest === undefined || width <= LEAST_WIDTH) break;
    widths[widest] = width - 1;
  }
  const fitted = (row: readonly string[]) =>
    row.map((cell, i) => (shrinks.includes(i) ? cut(cell, widths[i] ?? 0) : cell));
  return table([fitted(head).map(styleHead), ...rows.map(fitted)]);
}

function widthsOf(rows: Rows): number[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, width(cell));
  return widths;
}

function width(cell: string): number {
  return widthOf(stripVTControlCharacters(cell));
}
