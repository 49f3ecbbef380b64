import type { Database } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { SessionHub } from "@berth/store/notify";
import { startsTurn, waitingInputs } from "@berth/store/session-log";
import { handOverRun, releaseRun } from "../lease/claim-runs.ts";
import type { RunLog } from "../lease/run-log.ts";
import { deleteSessionRow, type SessionState } from "../lease/session-state.ts";
import type { SessionWorkspace } from "../workspace/session-workspace.ts";

interface Deps {
  db: Database;
  hub: SessionHub;
}

interface HeldSession {
  lease: Lease;
  runLog: RunLog;
  workspace: SessionWorkspace;
}

/**
 * Releases a session that is archived and does not run, or that is terminated or deleted. Deletes its disk,
 * and its row if it is deleted.
 */
export async function releaseEnded(
  { db }: Deps,
  { lease, runLog, workspace }: HeldSession,
  state: SessionState,
): Promise<void> {
  if (!state.terminated) {
    await workspace.collectBeforeRemoval();
    await runLog.appendIdle([]);
  }
  await workspace.remove();
  const released = state.deleted
    ? await deleteSessionRow(db.write, lease)
    : await releaseRun(db.write, lease);
  if (!released) await handOverRun(db.write, lease);
}

/**
 * Releases the session. If something is left to do, it is released as due, and its sandbox is left to the
 * process that continues it. Otherwise the sandbox is closed.
 */
export async function releaseForHandOver(
  { db, hub }: Deps,
  { lease, workspace }: HeldSession,
  state: SessionState,
): Promise<void> {
  const waiting = await waitingInputs(db.read, lease.sessionId);
  const isDone =
    state.status === "idle" && !state.archived && !startsTurn(waiting) && !workspace.hasPending();
  await (isDone ? workspace.end() : workspace.leave());
  if (!isDone || !(await releaseRun(db.write, lease))) await handOverRun(db.write, lease);
  hub.publish(lease.sessionId, true);
}
