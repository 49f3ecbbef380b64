import { applyRetention, continueErasures, hasUnfinishedErasures } from "@berth/api/deletion";
import {
  deleteExpired,
  deleteExpiredPreviews,
  deleteExpiredReads,
  deleteOldDeliveries,
  deleteOldTriggerDeliveries,
  readWords,
  sweepContents,
  sweepSignIns,
  sweepUploads,
} from "@berth/api/features";
import { removeGoneHosts } from "@berth/runs/lease";
import type { BlobStore } from "@berth/store/blobs";
import { type Database, runAlone } from "@berth/store/db";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { isOwnDatabase } from "./own-database.ts";
import { HOUR_MS, MINUTE_MS, type Sweep, type Sweeper, startSweeper } from "./sweeper.ts";

const ERASURE_MS = 5_000;
const WORDS_MS = 2_000;
/** Milliseconds after which requests that began before their token was rejected have stored everything. */
const LATE_MS = 24 * HOUR_MS;

/**
 * Starts the sweepers for data that the services of a database share. They delete objects whose retention has
 * ended, objects that are being erased, contents without a file, staged contents, unfinished uploads, expired
 * logins, console sign-ins and previews, old deliveries of webhooks and to triggers, and rows of processes that are gone. One reads the words of sessions, for
 * searches. Only one service sweeps at a time; data
 * that others receive meanwhile is not touched.
 */
export async function startDataSweepers(
  { db, blobs, log }: { db: Database; blobs: BlobStore; log: Logger },
  {
    dataDir,
    retention: defaults,
    hostGraceSeconds,
  }: Pick<Config, "dataDir" | "retention" | "hostGraceSeconds">,
): Promise<Sweeper[]> {
  const isOwn = await isOwnDatabase(db.write, dataDir, log);
  const alone =
    (name: string, sweep: Sweep): Sweep =>
    async (signal) => {
      await runAlone(db, name, () => sweep(signal));
    };
  const ofContents = (sweep: Sweep) => alone("sweep of contents", sweep);
  const staged = ofContents(() => blobs.removeAbandoned());
  const uploads = ofContents(() => sweepUploads(db, blobs));
  const contents = ofContents((signal) => sweepContents(db, blobs, { signal }));
  const logins: Sweep = async () => {
    await deleteExpired(db.write);
    await sweepSignIns(db.write);
  };
  const reads: Sweep = () => deleteExpiredReads(db.write);
  const previews: Sweep = () => deleteExpiredPreviews(db.write);
  const deliveries: Sweep = async (signal) => {
    await deleteOldDeliveries(db.write, signal);
    await deleteOldTriggerDeliveries(db.write, signal);
  };
  const hosts: Sweep = () => removeGoneHosts(db.write, hostGraceSeconds * 1_000);
  const ofProcesses = startSweeper({ reads, previews, hosts }, log, MINUTE_MS);
  if (!isOwn) return [startSweeper({ staged, logins, deliveries }, log), ofProcesses];
  const parts = { db, blobs, log, defaults };
  const retention = alone("retention", (signal) => applyRetention(parts, signal));
  const late = alone("erasures", (signal) => continueErasures(parts, signal, LATE_MS));
  const erasures: Sweep = async (signal) => {
    if (await hasUnfinishedErasures(db.read))
      await alone("erasures", (one) => continueErasures(parts, one))(signal);
  };
  const words = alone("words of sessions", (signal) => readWords(db, signal));
  return [
    startSweeper({ words }, log, WORDS_MS),
    startSweeper({ staged, uploads, logins, deliveries, retention, late, contents }, log),
    startSweeper({ erasures }, log, ERASURE_MS),
    ofProcesses,
  ];
}
