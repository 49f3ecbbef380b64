import { diskPlaces, type Sandbox, type SandboxSpec } from "@berth/sandbox";
import type { BlobStore } from "@berth/store/blobs";
import type { Database } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { restoreWorkspace } from "../disks/saves/restore-workspace.ts";
import { finishRestore, forgetSave, type Save } from "../disks/saves/save-store.ts";
import type { SessionDisk } from "../disks/session-disk.ts";
import type { RunLog } from "../lease/run-log.ts";

export interface RestoreDeps {
  db: Database;
  blobs: BlobStore;
  metrics: { workspaceRestored(outcome: string, seconds: number): void };
}

export interface RestoreDiskTarget {
  lease: Lease;
  runLog: RunLog;
  disk: SessionDisk;
  notes: string[];
  signal: AbortSignal;
}

/** A restored save, and the seconds that it took. */
export type RestoredSave = { saved_at: string; seconds: number };

/**
 * Restores a save onto the new disk of a sandbox, and records that the disk is whole. Reports what could not
 * be restored.
 *
 * @returns null when nothing could be restored. Then the sandbox is closed, the save and the disk are
 * deleted, and another disk must be claimed.
 * @throws when it can be tried again. Then the sandbox is closed, and `SessionDisk.claim` makes another disk.
 */
export async function restoreDisk(
  { db, blobs, metrics }: RestoreDeps,
  target: RestoreDiskTarget,
  save: Save,
  sandbox: Sandbox,
  spec: SandboxSpec,
): Promise<RestoredSave | null> {
  const { lease, disk, signal } = target;
  const began = performance.now();
  const seconds = () => Math.round(performance.now() - began) / 1_000;
  try {
    const opened = { sandbox, places: diskPlaces(spec), files: spec.files, signal };
    const outcome = await restoreWorkspace(blobs, save, opened);
    metrics.workspaceRestored(outcome, seconds());
    if (outcome !== "damaged") {
      await finishRestore(db.write, lease);
      if (outcome === "partial")
        await report(target, save, "not all of its files could be created on the new disk");
      return { saved_at: save.savedAt, seconds: seconds() };
    }
  } catch (error) {
    metrics.workspaceRestored("failed", seconds());
    await sandbox.close();
    throw error;
  }
  await sandbox.close();
  await forgetSave(db.write, lease);
  await disk.discard();
  await report(target, save, "it is damaged, so none of its files are there");
  return null;
}

async function report({ runLog, notes }: RestoreDiskTarget, { savedAt }: Save, why: string): Promise<void> {
  const message = `The workspace that was saved at ${savedAt} was not restored completely: ${why}.`;
  notes.push(`[${message}]`);
  const error = {
    type: "workspace_save_error" as const,
    message,
    retry_status: { type: "terminal" as const },
  };
  await runLog.append([{ event: { type: "session.error", error } }]);
}
