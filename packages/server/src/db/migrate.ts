import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { clientConfig, type DatabaseAddress } from "./connection.ts";
import { databaseError } from "./database-error.ts";
import { execute } from "./statement.ts";
import { inTransaction } from "./transaction.ts";

/** One file `0001-name.sql`. A released migration is never edited: a change is a new file. */
type Migration = { number: number; name: string; sql: string; checksum: string };

type Applied = { number: number; name: string; checksum: string };

const MIGRATIONS = join(import.meta.dirname, "migrations");

/** Serializes the Berth processes of one database. The number is arbitrary and fixed. */
const ADVISORY_LOCK = 7_265_738_401;

interface MigrateOptions {
  directory?: string;
  /** Closes the connection: the migration that is being applied is rolled back. */
  signal?: AbortSignal | undefined;
  /** Called before each migration. */
  onApply?: (name: string) => void;
}

/**
 * Brings the schema up to date: applies the pending migrations in order, each in its own transaction. Processes that start
 * together wait for each other; the later ones find nothing to do.
 *
 * @returns the names of the migrations that were applied.
 * @throws when the database was migrated by a newer Berth, or when an applied file has been changed since.
 */
export async function migrate(
  address: DatabaseAddress,
  { directory = MIGRATIONS, signal, onApply }: MigrateOptions = {},
): Promise<string[]> {
  const migrations = readMigrations(directory);
  const client = new pg.Client({ ...clientConfig(address), statement_timeout: false, query_timeout: 0 });
  client.on("error", () => undefined);
  const abort = () => void client.end().catch(() => undefined);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    signal?.throwIfAborted();
    await client.connect();
    await execute(client, { text: "select pg_advisory_lock($1)", values: [ADVISORY_LOCK] });
    const pending = unapplied(migrations, await appliedTo(client));
    for (const migration of pending) {
      onApply?.(migration.name);
      await apply(client, migration);
    }
    return pending.map((migration) => migration.name);
  } catch (error) {
    signal?.throwIfAborted();
    throw databaseError(error);
  } finally {
    signal?.removeEventListener("abort", abort);
    await client.end().catch(() => undefined);
  }
}

function readMigrations(directory: string): Migration[] {
  const files = readdirSync(directory).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file, index) => {
    const number = Number(/^(\d{4})-[a-z0-9-]+\.sql$/.exec(file)?.[1]);
    if (number !== index + 1)
      throw new Error(`Migration ${file} should be the one with number ${index + 1}.`);
    const sql = readFileSync(join(directory, file), "utf8");
    return { number, name: file, sql, checksum: createHash("sha256").update(sql).digest("hex") };
  });
}

async function appliedTo(client: pg.Client): Promise<Applied[]> {
  await client.query(
    `create table if not exists schema_migrations (
       number integer primary key,
       name text not null,
       checksum text not null,
       applied_at timestamptz not null default now()
     )`,
  );
  const text = "select number, name, checksum from schema_migrations order by number";
  return (await execute<Applied>(client, { text })).rows;
}

function unapplied(migrations: readonly Migration[], applied: readonly Applied[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.number, migration]));
  for (const { number, name, checksum } of applied) {
    const migration = known.get(number);
    if (migration === undefined) {
      throw new Error(
        `The database has migration ${name}, which this Berth does not know: start a newer Berth.`,
      );
    }
    if (migration.checksum !== checksum) {
      throw new Error(`Migration ${name} was changed after it had been applied to this database.`);
    }
  }
  const done = new Set(applied.map(({ number }) => number));
  return migrations.filter(({ number }) => !done.has(number));
}

async function apply(client: pg.Client, { number, name, sql, checksum }: Migration): Promise<void> {
  await inTransaction(client, async (tx) => {
    await tx.query({ text: sql });
    await tx.query({
      text: "insert into schema_migrations (number, name, checksum) values ($1, $2, $3)",
      values: [number, name, checksum],
    });
  });
}
