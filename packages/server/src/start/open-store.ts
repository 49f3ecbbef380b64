import { join } from "node:path";
import { createDirectory } from "@berth/linux";
import {
  checkDurability,
  checkPooler,
  type DatabaseAddress,
  DatabaseUnavailableError,
  isTimeout,
  type Migrated,
  migrate,
  openDatabase,
  readSchema,
} from "@berth/store/db";
import {
  type EmbeddedPostgresOptions,
  preparedCluster,
  superviseEmbeddedPostgres,
} from "@berth/store/embedded-postgres";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { requireDatabaseProgram } from "./database-program.ts";

/** The database of the installation, running, durable and with the current schema. */
export interface Store {
  address: DatabaseAddress;
  /** Stops the embedded server. Does nothing for an operator's own database. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL, or uses the operator's. Rejects with one sentence for the operator, or the
 * signal's reason.
 * @param signal Aborts the start; everything that was started is stopped before the result rejects.
 * @param onLaunch Called when the embedded server starts, long before it is ready.
 */
export async function openStore(
  config: Config,
  log: Logger,
  signal?: AbortSignal,
  onLaunch?: () => void,
): Promise<Store> {
  const work = async (store: Store) => {
    const { applied, newer } = await currentSchema(config, store.address, log, signal);
    if (applied.length > 0) log.info({ applied }, "the database has been migrated");
    if (newer.length > 0) log.warn({ newer }, "the database has migrations of a newer Berth");
    return store;
  };
  const prepared = config.migrate === "on" ? preparedCluster : undefined;
  return await openServer(config, log, signal, work, { onLaunch, prepared });
}

type ServerOptions = Pick<EmbeddedPostgresOptions, "onLaunch" | "prepared">;

/**
 * Opens the database like `openStore`, with whatever schema it has, and returns the result of `work`. Stops
 * the database when `work` fails; otherwise the caller does.
 */
export async function openServer<T>(
  config: Config,
  log: Logger,
  signal: AbortSignal | undefined,
  work: (store: Store) => Promise<T>,
  options: ServerOptions = {},
): Promise<T> {
  const store =
    config.databaseUrl === null
      ? await startEmbedded(config, log, signal, options)
      : { address: { url: config.databaseUrl, direct: config.databaseDirectUrl }, stop: async () => {} };
  try {
    await requireDurable(store.address, log).catch(onceMore(store.address, log)).catch(requireDirectUrl);
    await checkPooler(store.address).catch(asSetting);
    return await work(store);
  } catch (error) {
    await store.stop();
    throw error;
  }
}

/** Migrates the database, or requires the current schema where the operator migrates separately. */
async function currentSchema(
  { migrate: mode }: Config,
  address: DatabaseAddress,
  log: Logger,
  signal?: AbortSignal,
): Promise<Migrated> {
  if (mode === "on") {
    const onApply = (migration: string) => log.debug({ step: migration }, "a migration is applied");
    const onWait = (migration: string) =>
      log.warn({ step: migration }, "a migration gives way to transactions that have its tables");
    return await migrate(address, { signal, onApply, onWait });
  }
  const { pending, newer } = await readSchema(address, { signal });
  if (pending.length === 0) return { applied: [], newer };
  throw new Error(
    `The database lacks ${pending.length} migrations, from ${pending[0]} on. BERTH_MIGRATE is off, so run berth migrate.`,
  );
}

async function startEmbedded(
  config: Config,
  log: Logger,
  signal: AbortSignal | undefined,
  options: ServerOptions,
): Promise<Store> {
  requireDatabaseProgram(config);
  makeDataDirectory(config);
  const dataDir = join(config.dataDir, "postgres");
  const server = await superviseEmbeddedPostgres({
    dataDir,
    log,
    signal,
    ...options,
    ...(config.pgBin === null ? {} : { bin: config.pgBin }),
  });
  return { address: { connection: server.connection }, stop: () => server.stop() };
}

function makeDataDirectory({ dataDir }: Config): void {
  try {
    createDirectory(dataDir);
  } catch (error) {
    throw new ConfigError([(error as Error).message]);
  }
}

/** Rethrows an error as a missing setting if it comes from PgBouncer, which rejects server settings. */
function requireDirectUrl(error: Error): never {
  if (!/unsupported startup parameter/.test(error.message)) throw error;
  throw new ConfigError([
    "BERTH_DATABASE_URL leads to a pooler: also set BERTH_DATABASE_DIRECT_URL, to a URL of the same database that bypasses the pooler.",
  ]);
}

/** Rethrows an error as a fault of the settings, unless the server is only unavailable. */
function asSetting(error: Error): never {
  throw error instanceof DatabaseUnavailableError ? error : new ConfigError([error.message]);
}

/** Returns a handler that retries after a timeout, since loading modules may use up the time to connect. */
function onceMore(address: DatabaseAddress, log: Logger) {
  return async (error: unknown): Promise<void> => {
    if (!isTimeout(error)) throw error;
    await requireDurable(address, log);
  };
}

async function requireDurable(address: DatabaseAddress, log: Logger): Promise<void> {
  const database = openDatabase({ ...address, log, max: 1, readers: 1 });
  try {
    await checkDurability(database.write);
  } finally {
    await database.close();
  }
}
