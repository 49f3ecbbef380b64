import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * One file `0001-name.sql`. A released migration is never edited: a change is a new file. Releases before it go on using the
 * database, unless it begins with the line `-- requires: NNNN`: then only a Berth that knows migration NNNN can. So what a release
 * no longer uses is removed by a later one.
 */
export interface Migration {
  number: number;
  name: string;
  sql: string;
  checksum: string;
  requires: number | null;
}

/** A migration that a database has, perhaps of a newer Berth than this one. */
export type Applied = Omit<Migration, "sql">;

/** What a database has, beside what this Berth knows. */
export interface SchemaState {
  pending: Migration[];
  /** Names of those of a newer Berth, which this one can do without. */
  newer: string[];
}

const MIGRATIONS = join(import.meta.dirname, "migrations");
const REQUIRES = /^-- requires: (\d{4})$/m;

/** @throws when a number is left out. */
export function readMigrations(directory: string = MIGRATIONS): Migration[] {
  const files = readdirSync(directory).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file, index) => {
    const number = Number(/^(\d{4})-[a-z0-9-]+\.sql$/.exec(file)?.[1]);
    if (number !== index + 1)
      throw new Error(`Migration ${file} should be the one with number ${index + 1}.`);
    const sql = readFileSync(join(directory, file), "utf8");
    const checksum = createHash("sha256").update(sql).digest("hex");
    return { number, name: file, sql, checksum, requires: requiredBy(sql) };
  });
}

/** @throws when this Berth is too old for the database, or when an applied file has been changed since. */
export function schemaState(known: readonly Migration[], applied: readonly Applied[]): SchemaState {
  const byNumber = new Map(known.map((migration) => [migration.number, migration]));
  const done = new Set<number>();
  const newer: string[] = [];
  for (const { number, name, checksum, requires } of applied) {
    done.add(number);
    const migration = byNumber.get(number);
    if (migration === undefined) {
      if (requires !== null && requires > known.length) throw tooOld(name, requires);
      newer.push(name);
    } else if (migration.checksum !== checksum) {
      throw new Error(`Migration ${name} was changed after it had been applied to this database.`);
    }
  }
  return { pending: known.filter(({ number }) => !done.has(number)), newer };
}

function requiredBy(sql: string): number | null {
  const [firstLine = ""] = sql.split("\n", 1);
  const [, number] = REQUIRES.exec(firstLine) ?? [];
  return number === undefined ? null : Number(number);
}

function tooOld(name: string, requires: number): Error {
  const needed = `${requires}`.padStart(4, "0");
  return new Error(
    `The database has migration ${name}, which needs a Berth that knows migration ${needed}: start a newer Berth.`,
  );
}
