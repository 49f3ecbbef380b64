import { orAborted } from "@berth/concurrency";
import { type DatabaseAccess, openDatabase } from "@berth/store/db";
import { createLog, createRedactor } from "@berth/store/log";
import type { Config } from "../config/config.ts";
import { withSettings } from "../config/with-settings.ts";
import { openStore } from "../start/open-store.ts";
import { untilAskedToEnd } from "../start/until-asked-to-end.ts";

/** The flags that identify an installation, such as `data-dir`. */
export type InstallationFlags = Readonly<Record<string, string | undefined>>;

/**
 * Runs `work` on an installation's database directly, without the API. Works while the service runs;
 * otherwise starts the database for the duration of `work`. When the command is asked to end, it stops the
 * database first.
 */
export async function withDatabase<T>(
  flags: InstallationFlags,
  work: (db: DatabaseAccess, config: Config) => Promise<T>,
): Promise<T> {
  return await withSettings(flags, (config) => onDatabase(config, work));
}

async function onDatabase<T>(
  config: Config,
  work: (db: DatabaseAccess, config: Config) => Promise<T>,
): Promise<T> {
  const log = createLog("silent", createRedactor());
  return await untilAskedToEnd(async (signal) => {
    const store = await openStore(config, log, signal);
    const db = openDatabase({ ...store.address, log, max: 1, readers: 1 });
    try {
      return await orAborted(work(db, config), signal);
    } finally {
      await db.close();
      await store.stop();
    }
  });
}
