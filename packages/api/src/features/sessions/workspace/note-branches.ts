import type { SessionChanges } from "@berth/contract";
import type { Database } from "@berth/store/db";
import { readBranchState, storeBranches } from "./branch-store.ts";
import { requireDisk } from "./require-disk.ts";
import { sessionChanges } from "./session-changes.ts";
import type { WorkspaceReads } from "./workspace-reads.ts";

/** Reads the changes in a session's repositories, and stores their branches if these may be others now. */
export async function changesWithBranches(
  { write }: Pick<Database, "write">,
  reads: WorkspaceReads,
  sessionId: string,
): Promise<SessionChanges> {
  const state = await readBranchState(write, sessionId);
  const changes = await sessionChanges(reads, sessionId);
  if (state?.isStale) await storeBranches(write, changes.repositories, state.lastSeq);
  return changes;
}

/**
 * Reads the branches of a session's repositories if they may have changed, that is if its log has grown.
 *
 * @throws errors.noDisk, errors.diskAway and the errors of reads
 */
export async function refreshBranches(
  db: Pick<Database, "read" | "write">,
  reads: WorkspaceReads,
  sessionId: string,
): Promise<void> {
  const state = await readBranchState(db.write, sessionId);
  if (state === null || !state.isStale) return;
  await requireDisk(db.read, sessionId);
  const { repositories } = await sessionChanges(reads, sessionId);
  await storeBranches(db.write, repositories, state.lastSeq);
}
