import { applyMigration } from "./apply-migration.ts";
import { connectInTime } from "./connect-in-time.ts";
import { clientConfig, type DatabaseAddress, directAddress } from "./connection.ts";
import { DatabaseClient } from "./database-client.ts";
import { databaseError } from "./database-error.ts";
import { type Applied, readMigrations, type SchemaState, schemaState } from "./migrations.ts";
import { execute } from "./statement.ts";

/** Advisory lock that serializes migrations of one database. The number is arbitrary and fixed. */
const ADVISORY_LOCK = 7_265_738_401;

interface SchemaOptions {
  /** Directory of the migrations. Default: those of this Berth. */
  directory?: string;
  /** Closes the connection, which rolls back the migration that is being applied. */
  signal?: AbortSignal | undefined;
}

interface MigrationListeners {
  onApply?: ((name: string) => void) | undefined;
  onWait?: ((name: string) => void) | undefined;
}

/** Names of migrations, in order. */
export interface Migrated {
  applied: string[];
  /** Applied migrations of a newer Berth, with which this one still works. */
  newer: string[];
}

/**
 * Brings the schema up to date: applies the pending migrations in order, each in its own transaction.
 * Processes that start together wait for each other; the later ones find nothing to do. Services may run
 * meanwhile, since a migration yields to them.
 * @param onApply Called before each migration.
 * @param onWait Called each time a migration yields.
 * @throws when this Berth is too old for the database, the database is of a pre-release, or an applied file
 * has been changed.
 */
export async function migrate(
  address: DatabaseAddress,
  { onApply, onWait, ...options }: SchemaOptions & MigrationListeners = {},
): Promise<Migrated> {
  return await withSchema(address, options, async (client, { pending, newer }) => {
    for (const migration of pending) {
      onApply?.(migration.name);
      await applyMigration(client, migration, { onWait, signal: options.signal });
    }
    return { applied: pending.map(({ name }) => name), newer };
  });
}

/** Returns what `migrate` would do, and changes nothing. */
export async function readSchema(
  address: DatabaseAddress,
  options: SchemaOptions = {},
): Promise<{ pending: string[]; newer: string[] }> {
  return await withSchema(address, options, async (_, { pending, newer }) => ({
    pending: pending.map(({ name }) => name),
    newer,
  }));
}

async function withSchema<T>(
  address: DatabaseAddress,
  { directory, signal }: SchemaOptions,
  work: (client: DatabaseClient, state: SchemaState) => Promise<T>,
): Promise<T> {
  const migrations = readMigrations(directory);
  const config = {
    ...clientConfig(directAddress(address)),
    statement_timeout: false,
    query_timeout: 0,
  } as const;
  let client = new DatabaseClient(config);
  const abort = () => void client.end().catch(() => undefined);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    await connectInTime(config.servers, async () => {
      signal?.throwIfAborted();
      client = new DatabaseClient(config);
      await client.connect();
    });
    await execute(client, { text: "select pg_advisory_lock($1)", values: [ADVISORY_LOCK] });
    return await work(client, schemaState(migrations, await appliedTo(client)));
  } catch (error) {
    signal?.throwIfAborted();
    throw databaseError(error);
  } finally {
    signal?.removeEventListener("abort", abort);
    await client.end().catch(() => undefined);
  }
}

/** Reads the applied migrations. Their table is made with the first of them. */
async function appliedTo(client: DatabaseClient): Promise<Applied[]> {
  const { rows } = await execute<{ made: boolean }>(client, {
    text: "select to_regclass('schema_migrations') is not null as made",
  });
  if (rows[0]?.made !== true) return [];
  const text = "select number, name, checksum, requires from schema_migrations order by number";
  return (await execute<Applied>(client, { text })).rows;
}
