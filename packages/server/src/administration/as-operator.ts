import { type Config, readConfig } from "../config/config.ts";
import type { DatabaseAccess } from "../db/database-access.ts";
import { openDatabase } from "../db/pool.ts";
import { createLog } from "../log/log.ts";
import { createRedactor } from "../log/redactor.ts";
import { openStore } from "../start/open-store.ts";

/** The flags that identify an installation, such as `data-dir`. */
export type InstallationFlags = Readonly<Record<string, string | undefined>>;

/**
 * Runs `work` on an installation's database directly, without the API. Works while the service runs; otherwise starts the
 * database for the duration of `work`.
 */
export async function asOperator<T>(
  flags: InstallationFlags,
  work: (db: DatabaseAccess, config: Config) => Promise<T>,
): Promise<T> {
  const config: Config = readConfig(process.env, flags);
  const log = createLog("silent", createRedactor());
  const store = await openStore(config, log);
  const db = openDatabase({ ...store.address, log, max: 1, readers: 1 });
  try {
    return await work(db, config);
  } finally {
    await db.close();
    await store.stop();
  }
}

/** A command cannot be carried out. The message is one sentence for the operator. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
