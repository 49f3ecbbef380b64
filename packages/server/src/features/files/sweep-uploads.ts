import type { Logger } from "pino";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { DatabaseAccess } from "../../db/pool.ts";
import { failAbandoned, pendingOf } from "./upload-store.ts";

const SWEEP_MS = 3_600_000;

/** Sweeps now and every hour until it is closed. */
export function keepSweepingUploads(db: DatabaseAccess, blobs: BlobStore, log: Logger): { close(): void } {
  const sweep = () =>
    sweepUploads(db, blobs).catch((error) => log.warn({ err: error }, "uploads were not swept"));
  const timer = setInterval(sweep, SWEEP_MS).unref();
  sweep();
  return { close: () => clearInterval(timer) };
}

/** Gives up uploads that were abandoned, and removes what has arrived of files that wait for no more. */
export async function sweepUploads(db: DatabaseAccess, blobs: BlobStore): Promise<void> {
  await failAbandoned(db.write);
  const names = await blobs.growingNames();
  if (names.length === 0) return;
  const pending = await pendingOf(db.write, names);
  for (const name of names) if (!pending.has(name)) await blobs.growing(name).remove();
}
