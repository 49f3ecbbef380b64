import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const MIGRATIONS = "packages/store/src/db/migrations";

/** The migrations before were applied before any release. */
const FIRST_OF_RELEASES = 41;

/** What takes something from the releases before: their statements name it, or do not give it. */
const TAKES = [
  /\bdrop\s+(table|column|function|view|default)\b/i,
  /\brename\b/i,
  /\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/i,
  /\bset\s+not\s+null\b/i,
  /\badd\s+(column\s+)?\w+\s(?![^,;]*\bdefault\b)[^,;]*\bnot\s+null\b/i,
];

/**
 * One line for each migration of the server that does not have the next number (two have the same one, or one is left out), and
 * for each that takes from the releases before what they use.
 */
export function migrationFaults(root: string): string[] {
  const directory = join(root, MIGRATIONS);
  const files = readdirSync(directory).toSorted();
  const faults = [
    ...numberFaults(files),
    ...files
      .slice(FIRST_OF_RELEASES - 1)
      .flatMap((file) => takingFaults(file, readFileSync(join(directory, file), "utf8"))),
  ];
  return faults.map((fault) => `${MIGRATIONS}/${fault}`);
}

/** A migration may take what the releases before use only when it names, in its first line, what a Berth must know to go without. */
export function takingFaults(file: string, sql: string): string[] {
  if (/^-- requires: \d{4}\n/.test(sql)) return [];
  const statements = sql.replaceAll(/--.*/g, "");
  const taken = TAKES.map((pattern) => pattern.exec(statements)?.[0]).find((text) => text !== undefined);
  if (taken === undefined) return [];
  return [`${file}: "${taken}" takes from releases before what they use. Begin it with "-- requires: NNNN".`];
}

export function numberFaults(files: readonly string[]): string[] {
  return files.toSorted().flatMap((file, index) => {
    const number = `${index + 1}`.padStart(4, "0");
    if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(file)) return [`${file}: migrations are named NNNN-name.sql.`];
    return file.startsWith(`${number}-`) ? [] : [`${file}: the number should be ${number}.`];
  });
}
