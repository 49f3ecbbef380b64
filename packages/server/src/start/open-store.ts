import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { checkDurability } from "../db/check-durability.ts";
import type { DatabaseAddress } from "../db/connection.ts";
import { superviseEmbeddedPostgres } from "../db/embedded/supervise-embedded-postgres.ts";
import { migrate } from "../db/migrate.ts";
import { openDatabase } from "../db/pool.ts";

/** The database of the installation: running, durable, and with the current schema. */
export interface Store {
  address: DatabaseAddress;
  /** Stops the embedded server. Does nothing for the operator's. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL, or uses the operator's.
 *
 * @param signal ends the start: nothing of it is left when the result rejects.
 * @throws one sentence for the operator, or the signal's reason.
 */
export async function openStore(config: Config, log: Logger, signal?: AbortSignal): Promise<Store> {
  const store =
    config.databaseUrl === null
      ? await startEmbedded(config, log, signal)
      : { address: { url: config.databaseUrl }, stop: async () => {} };
  try {
    await requireDurable(store.address, log);
    const applied = await migrate(store.address, {
      signal,
      onApply: (migration) => log.debug({ step: migration }, "a migration is applied"),
    });
    if (applied.length > 0) log.info({ applied }, "the database has been migrated");
    return store;
  } catch (error) {
    await store.stop();
    throw error;
  }
}

async function startEmbedded(config: Config, log: Logger, signal?: AbortSignal): Promise<Store> {
  const dataDir = join(config.dataDir, "postgres");
  const server = await superviseEmbeddedPostgres({
    dataDir,
    log,
    signal,
    ...(config.pgBin === null ? {} : { bin: config.pgBin }),
  });
  return { address: { connection: server.connection }, stop: () => server.stop() };
}

async function requireDurable(address: DatabaseAddress, log: Logger): Promise<void> {
  const database = openDatabase({ ...address, log, max: 1, readers: 1 });
  try {
    await checkDurability(database.write);
  } finally {
    await database.close();
  }
}
