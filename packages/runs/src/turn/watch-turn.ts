import { setTimeout as pause } from "node:timers/promises";
import { LeaseLost } from "@berth/agent";
import type { Signal } from "@berth/concurrency";
import type { Database } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { Logger } from "pino";
import { readInputs } from "../inputs/session-inputs-store.ts";
import type { RunLog } from "../lease/run-log.ts";
import type { SessionWorkspace } from "../workspace/session-workspace.ts";
import type { SessionTurn } from "./session-turn.ts";

export interface Watch {
  db: Database;
  log: Logger;
  lease: Lease;
  news: Signal;
  turn: SessionTurn;
  workspace: SessionWorkspace;
  runLog: RunLog;
}

const RETRY_MS = 200;

/**
 * Reads the session's state at each notification while its turn runs. An interrupt, archiving or termination
 * aborts the turn, and new resources are put in place. The returned function ends the watch; a notification
 * that it did not handle stays set.
 */
export function watchTurn(watch: Watch): () => Promise<void> {
  const over = new AbortController();
  const watching = watchUntil(watch, over.signal);
  return async () => {
    over.abort();
    await watching;
  };
}

async function watchUntil(watch: Watch, over: AbortSignal): Promise<void> {
  for (;;) {
    await watch.news.wait(over);
    if (over.aborted) return;
    watch.news.reset();
    try {
      await look(watch);
    } catch (error) {
      if (error instanceof LeaseLost) return stop(watch);
      watch.log.warn({ err: error }, "a running session could not be checked");
      await pause(RETRY_MS);
      watch.news.set();
    }
  }
}

async function look({ db, lease, turn, workspace, ...watch }: Watch): Promise<void> {
  const state = await watch.runLog.look();
  if (state.terminated) return stop({ turn, workspace, ...watch });
  const inputs = await readInputs(db.read, lease.sessionId);
  if (state.archived || inputs.waiting.interrupts) turn.abort();
  await workspace.refresh(inputs);
}

/** Discards the turn, so that it appends nothing more. */
function stop({ log, runLog, turn, workspace }: Pick<Watch, "log" | "runLog" | "turn" | "workspace">): void {
  runLog.close();
  turn.abort(new LeaseLost());
  workspace.end().catch((err: unknown) => log.warn({ err }, "a sandbox could not be closed"));
}
