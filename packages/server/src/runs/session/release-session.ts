import type { Database } from "../../db/pool.ts";
import { asksForTurn, waitingInputs } from "../../features/events/event-store.ts";
import type { SessionHub } from "../../notify/session-hub.ts";
import { handOverRun, releaseRun } from "../lease/claim-runs.ts";
import type { Lease } from "../lease/lease.ts";
import type { RunLog } from "../lease/run-log.ts";
import { isRunning, removeDeleted, type Standing } from "../lease/session-state.ts";
import { idle } from "../turn/take-turn.ts";
import type { SessionWorkspace } from "../workspace/session-workspace.ts";

interface Parts {
  db: Database;
  hub: SessionHub;
}

interface Held {
  lease: Lease;
  runLog: RunLog;
  workspace: SessionWorkspace;
}

/** Removes the disk of a session that is over, with its row when it is deleted, and gives the session back. */
export async function clearAway(
  { db }: Parts,
  { lease, runLog, workspace }: Held,
  standing: Standing,
): Promise<void> {
  if (!standing.terminated) {
    await workspace.collectBeforeRemoval();
    await runLog.appendIdle(isRunning(standing) ? [idle({ type: "cancelled" })] : []);
  }
  await workspace.remove();
  const left = standing.deleted ? await removeDeleted(db.write, lease) : await releaseRun(db.write, lease);
  if (!left) await handOverRun(db.write, lease);
}

/** Ends the sandbox and gives the session back: as due when something is left to do, so that another process goes on. */
export async function giveBack(
  { db, hub }: Parts,
  { lease, workspace }: Held,
  standing: Standing,
): Promise<void> {
  await workspace.end();
  const waiting = await waitingInputs(db.read, lease.sessionId);
  const over = standing.status === "idle" && !asksForTurn(waiting) && !workspace.hasPending();
  if (!over || !(await releaseRun(db.write, lease))) await handOverRun(db.write, lease);
  hub.publish(lease.sessionId, true);
}
