import { type Migrated, migrate, readSchema } from "@berth/store/db";
import { createLog, createRedactor } from "@berth/store/log";
import { withSettings } from "../config/with-settings.ts";
import { openServer } from "../start/open-store.ts";
import { untilAskedToEnd } from "../start/until-asked-to-end.ts";
import type { InstallationFlags } from "./with-database.ts";

/** Names of migrations in order: applied, pending, and those of a newer Berth that this one can ignore. */
export interface SchemaReport extends Migrated {
  pending: string[];
}

/**
 * Brings the schema of an installation's database up to date, or reports what that would do. Services of this
 * and the previous release may run meanwhile: a migration gives way to their transactions and is retried.
 * When the command is asked to end, the current migration is rolled back.
 * @param onWait Called with the name of a migration each time it gives way.
 */
export async function migrateDatabase(
  flags: InstallationFlags,
  { dryRun, onWait }: { dryRun: boolean; onWait?: (name: string) => void },
): Promise<SchemaReport> {
  const log = createLog("silent", createRedactor());
  return await withSettings(flags, (config) =>
    untilAskedToEnd((signal) =>
      openServer(config, log, signal, async ({ address, stop }) => {
        const report = dryRun
          ? { applied: [], ...(await readSchema(address, { signal })) }
          : { pending: [], ...(await migrate(address, { signal, onWait })) };
        await stop();
        return report;
      }),
    ),
  );
}
