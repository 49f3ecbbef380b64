import { LeaseLost } from "@berth/agent";
import { type Semaphore, Signal } from "@berth/concurrency";
import type { Logger } from "pino";
import { DatabaseUnavailableError } from "../../db/database-error.ts";
import type { Database } from "../../db/pool.ts";
import { asksForTurn, waitingInputs } from "../../features/events/event-store.ts";
import type { SessionHub } from "../../notify/session-hub.ts";
import { type RunSession, readRunSession } from "../inputs/run-session.ts";
import { handOverRun, releaseRun } from "../lease/claim-runs.ts";
import type { Lease } from "../lease/lease.ts";
import { createRunLog, type RunLog } from "../lease/run-log.ts";
import { isRunning, type Standing, takeDue } from "../lease/session-state.ts";
import { idle, type RunningTurn, startTurn, type TurnParts } from "../turn/take-turn.ts";
import { watchTurn } from "../turn/watch-turn.ts";
import type { SessionWorkspace } from "../workspace/session-workspace.ts";
import { clearAway, giveBack } from "./release-session.ts";

/**
 * A session that this worker holds: its turns, its sandbox and its disk, from the claim to the release.
 *
 * Life story. The worker claims and calls `holdSession`. From then on the session looks after itself: it provisions, runs
 * turns while inputs wait, stays warm for a while, closes its sandbox and releases. The worker only tells it to look
 * (`wake`), that its lease is gone (`abandon`), or that the process stops (`handOver`). `ended` resolves once, whatever
 * happens; a session that failed in a way it could not tell in its log keeps its lease, and is taken up when that expires.
 */
export interface HeldSession {
  readonly lease: Lease;
  /** It has something to do, and does not only stay warm. */
  isActive(): boolean;
  wake(): void;
  /** Kills the sandbox at once and writes nothing more. */
  abandon(): Promise<void>;
  /**
   * Lets a running turn go on to the next place where nothing is lost, for `graceMs` at most, then kills what still
   * runs. The session is given back as due when its turn is not over, so that another process goes on with it.
   */
  handOver(graceMs: number): Promise<void>;
  readonly ended: Promise<void>;
}

export interface HoldDependencies extends TurnParts {
  db: Database;
  hub: SessionHub;
  log: Logger;
  /** How long the sandbox stays open when nothing happens. */
  idleMs: number;
  /** `onWantsReopen` is called when `reopenIfWanted` has something to do. */
  openWorkspace(lease: Lease, session: RunSession, log: RunLog, onWantsReopen: () => void): SessionWorkspace;
  /** Limits how many turns run at once. */
  turns: Semaphore;
  /** Called when the session has nothing to do and only stays warm. */
  onRest(): void;
}

/** Begins when `former`, an earlier run of the session in this process, has ended. */
export function holdSession(
  dependencies: HoldDependencies,
  lease: Lease,
  former: Promise<void> | undefined,
): HeldSession {
  const { db, log } = dependencies;
  const runLog = createRunLog(db, dependencies.hub, lease);
  const news = new Signal();
  let workspace: SessionWorkspace | undefined;
  let turn: RunningTurn | undefined;
  let active = true;
  let leaving: "handed over" | "abandoned" | undefined;

  async function hold(): Promise<void> {
    await former;
    const session = await readRunSession(db.read, lease.sessionId);
    const space = dependencies.openWorkspace(lease, session, runLog, () => news.set());
    workspace = space;
    while (leaving !== "abandoned") {
      news.reset();
      const standing = await takeDue(db.write, lease);
      if (standing.terminated || standing.archived)
        return await clearAway(dependencies, { lease, runLog, workspace: space }, standing);
      if (leaving === "handed over")
        return await giveBack(dependencies, { lease, runLog, workspace: space }, standing);
      if (standing.resting) {
        await space.reclaim();
        if (await releaseRun(db.write, lease)) return;
        continue;
      }
      await space.reopenIfWanted();
      await space.refresh();
      if (await act(session, standing, space)) continue;
      if (await rest(space)) continue;
      if (space.isBusy()) continue;
      await space.close();
      if (await releaseRun(db.write, lease)) return;
    }
  }

  /** Stays warm for a while; true when there is news. */
  async function rest(space: SessionWorkspace): Promise<boolean> {
    active = space.isBusy();
    dependencies.onRest();
    const woken = await news.waitFor(space.isOpen() ? dependencies.idleMs : 0);
    active = true;
    return woken;
  }

  /** Settles interrupts or runs a turn; false when there was nothing to do. */
  async function act(session: RunSession, standing: Standing, space: SessionWorkspace): Promise<boolean> {
    const waiting = await waitingInputs(db.read, lease.sessionId);
    const resumed = isRunning(standing);
    if (waiting.interrupts && !waiting.requiresAction && !resumed) {
      await settleInterrupts(waiting.interruptedMessages);
      return true;
    }
    if (!asksForTurn(waiting) && !resumed) return false;
    const leaveTurn = await dependencies.turns.acquire();
    try {
      if (leaving === undefined) await runTurn(session, space, resumed, waiting.interrupts);
    } finally {
      leaveTurn();
    }
    return true;
  }

  async function runTurn(
    session: RunSession,
    space: SessionWorkspace,
    resumed: boolean,
    interrupted: boolean,
  ): Promise<void> {
    const own = startTurn(dependencies, { session, resumed, log: runLog, workspace: space });
    turn = own;
    if (interrupted) own.abort();
    const unwatch = watchTurn({ db, log, lease, news, turn: own, workspace: space, runLog });
    try {
      await own.ended;
    } catch (error) {
      // Closed by whoever terminated or hands over, or taken by another: the row tells which.
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      await unwatch();
      turn = undefined;
    }
  }

  /** An interrupt of a session that does not run and has no calls that wait; messages sent before it are answered by a turn that did nothing. */
  async function settleInterrupts(withMessages: boolean): Promise<void> {
    if (withMessages) await runLog.appendRunning();
    await runLog.appendIdle(withMessages ? [idle({ type: "cancelled" })] : []);
  }

  function kill(): void {
    runLog.close();
    turn?.abort(new LeaseLost());
    void workspace?.end();
  }

  async function run(): Promise<void> {
    try {
      await hold();
    } catch (error) {
      kill();
      if (error instanceof LeaseLost) log.info({ session: lease.sessionId }, "the session's lease is gone");
      else log.error({ err: error, session: lease.sessionId }, "a session could not be run");
      if (error instanceof DatabaseUnavailableError) await handOverRun(db.write, lease);
    } finally {
      runLog.close();
      await workspace?.end();
    }
  }

  const ended = run().catch((error: unknown) => {
    log.error({ err: error, session: lease.sessionId }, "a session could not be given back");
  });
  return {
    lease,
    ended,
    isActive: () => active,
    wake: () => news.set(),
    async abandon() {
      leaving = "abandoned";
      kill();
      news.set();
      await ended;
    },
    async handOver(graceMs) {
      leaving ??= "handed over";
      runLog.closeAtNextAppend();
      news.set();
      const grace = setTimeout(kill, graceMs);
      await ended;
      clearTimeout(grace);
    },
  };
}
