import { administration, OperatorError } from "@berth/server";
import { exitCodes } from "../../exit-codes.ts";
import { UsageError } from "../../failure.ts";
import { printJson, printLine } from "../../print.ts";
import { paletteFor } from "../../render/palette.ts";
import { plainLine } from "../../render/plain-text.ts";
import { table } from "../../render/table.ts";

export interface AdminOptions {
  dataDir?: string;
  json?: boolean;
}

/** Does something with the installation that the options name; what it refuses is told in its sentence, with exit code 1. */
export async function administer<T>(
  { dataDir }: AdminOptions,
  work: (admin: ReturnType<typeof administration>) => Promise<T>,
): Promise<T> {
  try {
    return await work(administration({ "data-dir": dataDir }));
  } catch (error) {
    if (error instanceof OperatorError) throw new UsageError(error.message, exitCodes.failed);
    throw error;
  }
}

/** Prints objects as a table of the columns, or as JSON whole. */
export function printRows<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  { json }: AdminOptions,
): void {
  if (json) printJson({ data: rows });
  if (json || rows.length === 0) return;
  const { dim } = paletteFor(process.stdout);
  const head = columns.map((name) => dim(name.replaceAll("_", " ").toUpperCase()));
  const cells = rows.map((row) => columns.map((name) => plainLine(`${row[name] ?? "-"}`)));
  for (const line of table([head, ...cells])) printLine(line);
}

/** Prints what was made: its id alone, or it whole as JSON. */
export function printMade(made: { id: string }, { json }: AdminOptions): void {
  if (json) printJson(made);
  else printLine(made.id);
}
