import { setTimeout as pause } from "node:timers/promises";
import { LeaseLost } from "@berth/agent";
import type { Signal } from "@berth/concurrency";
import type { Logger } from "pino";
import type { Database } from "../../db/pool.ts";
import { waitingInputs } from "../../features/events/event-store.ts";
import type { Lease } from "../lease/lease.ts";
import type { RunLog } from "../lease/run-log.ts";
import { takeDue } from "../lease/session-state.ts";
import type { SessionWorkspace } from "../workspace/session-workspace.ts";
import type { RunningTurn } from "./take-turn.ts";

export interface Watch {
  db: Database;
  log: Logger;
  lease: Lease;
  news: Signal;
  turn: RunningTurn;
  workspace: SessionWorkspace;
  runLog: RunLog;
}

const RETRY_MS = 200;

/**
 * Looks at the session whenever there is news while its turn runs: an interrupt, its archiving or its termination aborts
 * the turn, a new file is put in place. The answer ends the watch; news that it did not look at stays told.
 */
export function watchTurn(watch: Watch): () => Promise<void> {
  let over = false;
  const watching = keepLooking(watch, () => over);
  return async () => {
    over = true;
    watch.news.set();
    await watching;
  };
}

async function keepLooking(watch: Watch, isOver: () => boolean): Promise<void> {
  for (;;) {
    await watch.news.wait();
    if (isOver()) return;
    watch.news.reset();
    try {
      await look(watch);
    } catch (error) {
      if (error instanceof LeaseLost) return stop(watch);
      watch.log.warn(
        { err: error, session: watch.lease.sessionId },
        "a running session could not be looked at",
      );
      await pause(RETRY_MS);
      watch.news.set();
    }
  }
}

async function look(watch: Watch): Promise<void> {
  const { db, lease, turn, workspace } = watch;
  const standing = await takeDue(db.write, lease);
  if (standing.terminated) return stop(watch);
  if (standing.archived || (await waitingInputs(db.read, lease.sessionId)).interrupts) turn.abort();
  await workspace.refresh();
}

/** Nothing of this turn counts any more. */
function stop({ runLog, turn, workspace }: Watch): void {
  runLog.close();
  turn.abort(new LeaseLost());
  void workspace.end();
}
