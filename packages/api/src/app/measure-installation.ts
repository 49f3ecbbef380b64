import { statfs } from "node:fs/promises";
import { databaseBytes, type Queryable } from "@berth/store/db";
import { dueSessions, type TurnPermits } from "@berth/store/leases";
import type { Logger } from "pino";
import { countSetAside, sessionsByStatus } from "../features/sessions/session-store.ts";
import type { DatabaseMeasures, Measured } from "../http/installation-gauges.ts";

export interface MeasureDeps {
  db: { write: Queryable };
  /** Permits of the owners whose turns are limited. */
  permits: Pick<TurnPermits, "full">;
  /** Directory whose file system is measured. Null when none is. */
  dataDir: string | null;
  log: Logger;
}

/** Milliseconds after which a measurement is given up. Prometheus gives up a scrape after ten seconds. */
const PATIENCE_MS = 4_000;

/** Measures the database and the file system for one scrape of the metrics. Never rejects. */
export async function measureInstallation({ db, permits, dataDir, log }: MeasureDeps): Promise<Measured> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), PATIENCE_MS);
  const unmeasured = (error: unknown) => {
    log.debug({ err: error }, "a metric could not be measured");
    return null;
  };
  const [database, disk] = await Promise.all([
    Promise.race([measureDatabase(db.write, permits).catch(unmeasured), late.promise]),
    dataDir === null ? null : Promise.race([measureDisk(dataDir).catch(unmeasured), late.promise]),
  ]);
  clearTimeout(timer);
  return { database, disk };
}

async function measureDatabase(db: Queryable, permits: Pick<TurnPermits, "full">): Promise<DatabaseMeasures> {
  const [byStatus, due, setAside, bytes] = await Promise.all([
    sessionsByStatus(db),
    permits.full().then((full) => dueSessions(db, full)),
    countSetAside(db),
    databaseBytes(db),
  ]);
  return { sessionsByStatus: byStatus, due, setAside, bytes };
}

async function measureDisk(directory: string): Promise<{ size: number; free: number }> {
  const { bsize, blocks, bavail } = await statfs(directory);
  return { size: blocks * bsize, free: bavail * bsize };
}
