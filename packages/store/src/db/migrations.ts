import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A migration in a file `0001-name.sql`. The first makes the schema of release 0.1.0. A released migration is
 * never edited or renamed; a change is a new file.
 *
 * Earlier releases continue to use the database, unless the file begins with the line `-- requires: NNNN`.
 * Then only a Berth that knows migration NNNN can. So a later release removes what an earlier one stopped
 * using.
 */
export interface Migration {
  number: number;
  name: string;
  sql: string;
  checksum: string;
  requires: number | null;
}

/** A migration that a database has, possibly of a newer Berth than this one. */
export type Applied = Omit<Migration, "sql">;

/** The migrations of a database, compared with those that this Berth knows. */
export interface SchemaState {
  pending: Migration[];
  /** Names of applied migrations of a newer Berth, with which this one still works. */
  newer: string[];
}

const MIGRATIONS = join(import.meta.dirname, "migrations");
const REQUIRES = /^-- requires: (\d{4})$/m;

/**
 * Reads the migrations in order.
 * @throws when a number is missing.
 */
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

/**
 * Compares known and applied migrations.
 * @throws when this Berth is too old for the database, the database is of a pre-release, or an applied file
 * has been changed.
 */
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
    } else if (migration.name !== name) {
      throw ofPreRelease();
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

/** Releases keep the names of migrations, so another name is that of a version before the first release. */
function ofPreRelease(): Error {
  return new Error(
    "The database was made by a pre-release of Berth, which no release can continue: start with another data directory or database. Nothing in this one was changed.",
  );
}

function tooOld(name: string, requires: number): Error {
  const needed = `${requires}`.padStart(4, "0");
  return new Error(
    `The database has migration ${name}, which needs a Berth that knows migration ${needed}: start a newer Berth.`,
  );
}
