import { migrateDatabase } from "@berth/server";
import { printJson, printLine } from "../../terminal/print.ts";
import { operatorErrors } from "./operator-errors.ts";

interface MigrateOptions {
  dryRun?: boolean;
  dataDir?: string;
  config?: string;
  json?: boolean;
}

/** Prints a line for each migration. */
export async function migrate({ dryRun, dataDir, config, json }: MigrateOptions): Promise<undefined> {
  const flags = { "data-dir": dataDir, config };
  const report = await operatorErrors(() => migrateDatabase(flags, { dryRun: dryRun === true }));
  if (json) return void printJson(report);
  const { applied, pending, newer } = report;
  for (const name of applied) printLine(`Applied ${name}.`);
  for (const name of pending) printLine(`To be applied: ${name}.`);
  for (const name of newer) printLine(`Of a newer Berth, which this one can do without: ${name}.`);
  if (applied.length + pending.length === 0) printLine("The schema of the database is up to date.");
}
