import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { table } from "../../terminal/table.ts";

/** Prints the given columns for people, else whole objects. */
export async function printRows<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  options: OutputOptions,
): Promise<void> {
  await printResult({ data: rows }, options, () => tableOf(rows, columns));
}

/** Returns a table with a head, and no lines if there are no rows. Null is shown as a dash. */
export function tableOf<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
): string[] {
  if (rows.length === 0) return [];
  const { dim } = paletteFor(process.stdout);
  const head = columns.map((name) => dim(name.replaceAll("_", " ").toUpperCase()));
  const cells = rows.map((row) => columns.map((name) => plainLine(`${row[name] ?? "-"}`)));
  return table([head, ...cells]);
}
