import type { BlobStore } from "@berth/store/blobs";
import type { Database } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { RunLog } from "../../lease/run-log.ts";
import type { DiskContent, DiskSource, OpenedDisk } from "../disk-source.ts";
import { DamagedSaveError } from "../saves/compress.ts";
import { restoreWorkspace } from "../saves/restore-workspace.ts";
import { beginRestore, finishRestore, forgetSave, type Save } from "../saves/save-store.ts";
import type { SessionDisk } from "../session-disk.ts";

export interface SaveSourceDeps {
  db: Database;
  blobs: BlobStore;
  metrics: { workspaceRestored(outcome: string, seconds: number): void };
}

export interface SaveSourceTarget {
  lease: Lease;
  runLog: RunLog;
  disk: SessionDisk;
  notes: string[];
  signal: AbortSignal;
}

/**
 * Returns the save of the session's workspace as a source. It is unusable when it is damaged; after any other
 * failure it is restored onto the next disk that is claimed.
 */
export function saveSource(deps: SaveSourceDeps, target: SaveSourceTarget): DiskSource {
  const { lease, disk } = target;
  return {
    async take() {
      const save = await beginRestore(deps.db.write, lease);
      if (save === null) return null;
      return {
        ...(await disk.assign()),
        isNew: true,
        inPlace: save.inPlace,
        fill: (opened) => restore(deps, target, save, opened),
        giveUp: (error) => giveUp(deps, target, save, error),
      };
    },
  };
}

/** Restores the save and records that the disk is whole. Reports what could not be restored. */
async function restore(
  { db, blobs, metrics }: SaveSourceDeps,
  target: SaveSourceTarget,
  save: Save,
  opened: OpenedDisk,
): Promise<DiskContent> {
  const began = performance.now();
  const seconds = () => Math.round(performance.now() - began) / 1_000;
  try {
    const outcome = await restoreWorkspace(blobs, save, opened, target.signal);
    metrics.workspaceRestored(outcome, seconds());
    await finishRestore(db.write, target.lease);
    if (outcome === "partial")
      await report(target, save, "not all of its files could be created on the new disk");
    return { save: { saved_at: save.savedAt, seconds: seconds() } };
  } catch (error) {
    metrics.workspaceRestored(error instanceof DamagedSaveError ? "damaged" : "failed", seconds());
    throw error;
  }
}

/** Deletes a damaged save with the disk, and reports that the disk is lost: nothing of it is there. */
async function giveUp(
  { db }: SaveSourceDeps,
  target: SaveSourceTarget,
  save: Save,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof DamagedSaveError)) return false;
  await forgetSave(db.write, target.lease);
  await target.disk.discard();
  await report(target, save, "it is damaged, so none of its files are there");
  await target.runLog.appendReclaimed("lost");
  return true;
}

async function report({ runLog, notes }: SaveSourceTarget, { savedAt }: Save, why: string): Promise<void> {
  const message = `The workspace that was saved at ${savedAt} was not restored completely: ${why}.`;
  notes.push(`[${message}]`);
  const retry_status = { type: "terminal" as const };
  const error = { type: "workspace_save_error" as const, message, retry_status };
  await runLog.append([{ event: { type: "session.error", error } }]);
}
