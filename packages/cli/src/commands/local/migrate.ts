import { migrateDatabase } from "@berth/server";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { printMessage } from "../../terminal/print.ts";
import { operatorErrors } from "./operator-errors.ts";

interface MigrateOptions extends OutputOptions {
  dryRun?: boolean;
  dataDir?: string;
  config?: string;
}

/** Migrates the database. Prints a line for each migration, and one message for each that waits. */
export async function migrate({ dryRun, dataDir, config, ...output }: MigrateOptions): Promise<undefined> {
  const flags = { "data-dir": dataDir, config };
  const waited = new Set<string>();
  const onWait = (name: string) => {
    if (!waited.has(name)) printMessage(`${name} waits for transactions that use its tables.`);
    waited.add(name);
  };
  const report = await operatorErrors(() => migrateDatabase(flags, { dryRun: dryRun === true, onWait }));
  await printResult(report, output, () => describe(report));
}

function describe({ applied, pending, newer }: Awaited<ReturnType<typeof migrateDatabase>>): string[] {
  const lines = [
    ...applied.map((name) => `Applied ${name}.`),
    ...pending.map((name) => `To be applied: ${name}.`),
    ...newer.map((name) => `From a newer Berth, and not needed by this one: ${name}.`),
  ];
  if (applied.length + pending.length === 0) lines.push("The schema of the database is up to date.");
  return lines;
}
