import { setTimeout as pause } from "node:timers/promises";
import { LeaseLost, type Model } from "@berth/agent";
import { type FaultScope, inFaultScope, type Share, type SharedSlots, Signal } from "@berth/concurrency";
import { DatabaseUnavailableError } from "@berth/store/db";
import type { Lease, TurnPermits } from "@berth/store/leases";
import type { OwnerLimits } from "@berth/store/limits";
import { startsTurn, type WaitingInputs } from "@berth/store/session-log";
import type { Traces } from "@berth/store/traces";
import type { Logger } from "pino";
import { outputStore } from "../call-outputs/output-store.ts";
import { readInputs, type SessionInputs } from "../inputs/session-inputs-store.ts";
import { handOverRun, releaseRun } from "../lease/claim-runs.ts";
import { RunLog, type RunLogDeps } from "../lease/run-log.ts";
import { SessionSpending } from "../lease/session-spending.ts";
import { isRunning, type SessionState } from "../lease/session-state.ts";
import type { Trials } from "../lease/trials.ts";
import { type SessionPreviewDeps, SessionPreviews } from "../reads/session-previews.ts";
import { type SessionReadDeps, SessionReads } from "../reads/session-reads.ts";
import { summariseSession } from "../turn/session-summary.ts";
import { idle, SessionTurn, type TurnDeps, type TurnOptions } from "../turn/session-turn.ts";
import { TurnSlot } from "../turn/turn-slot.ts";
import { watchTurn } from "../turn/watch-turn.ts";
import type { SessionWorkspace, WorkspaceEvents } from "../workspace/session-workspace.ts";
import { HeldReads } from "./held-reads.ts";
import { PrefixWatch } from "./prefix-watch.ts";
import { releaseEnded, releaseForHandOver } from "./release-session.ts";
import type { SessionMetrics } from "./session-metrics.ts";
import { SessionRecord } from "./session-record.ts";
import { SessionTrace } from "./session-trace.ts";

export interface SessionRunnerDeps
  extends TurnDeps,
    RunLogDeps,
    Pick<SessionPreviewDeps, "linkKey">,
    Omit<SessionReadDeps, "db" | "hub" | "log"> {
  metrics: SessionMetrics;
  traces: Traces;
  /** A logger whose lines name the session and its organization. */
  log: Logger;
  /** Milliseconds for which the sandbox stays open while the session is idle. */
  idleMs: number;
  /**
   * Maximum milliseconds for which it stays open while processes run that commands left, and the time for which
   * it does while previews of their ports are used.
   */
  maxKeepAliveMs: number;
  openWorkspace(lease: Lease, inputs: SessionInputs, log: RunLog, events: WorkspaceEvents): SessionWorkspace;
  /** Limits how many turns run at once. */
  turns: SharedSlots;
  /** Limits how many turns owners have at once, on all hosts. */
  permits: Pick<TurnPermits, "areLimited" | "take" | "whenReleased">;
  /** The limits of what requests of owners cost. */
  limits: OwnerLimits;
  /** Begins turns of sessions during whose turns a process has crashed. */
  trials: Pick<Trials, "begin">;
  /** Returns whether the operator drains this host. */
  isDraining(): boolean;
  /** Called when the session may have nothing to do but to stay warm or to wait. */
  onRest(): void;
}

/** Milliseconds after which a permit that another host released is noticed. */
const PERMIT_POLL_MS = 1_000;
/** Milliseconds that the sandbox of a session that failed has to close. */
const END_MS = 10_000;
/** The shortest rest while the disk is read, or resources wait for the sandbox's place. */
const MIN_REST_MS = 1_000;
/** A summary that cannot begin within this time is dropped, since the cache would have expired. */
const MAX_SUMMARY_DELAY_MS = 60_000;

/**
 * Runs a session that this worker holds, from the claim to the release.
 *
 * Lifecycle: the runner works on its own from its construction. It provisions, runs turns while inputs wait,
 * stays warm for a while, closes the sandbox and releases the session. The worker only tells it that the
 * session may have changed (`wake`), that the lease is lost (`abandon`), or that the process stops
 * (`handOver`). After a failure that it cannot report in the session's log it keeps the lease, and the
 * session is claimed again when the lease expires.
 *
 * All its work runs in its fault scope: an uncaught error there ends its turn, or else its run, and affects
 * no other session.
 */
export class SessionRunner implements FaultScope {
  readonly lease: Lease;
  /** Resolves when the runner has ended, for whatever reason. */
  readonly ended: Promise<void>;
  readonly #deps: SessionRunnerDeps;
  readonly #runLog: RunLog;
  readonly #news = new Signal();
  /** Rejects with an uncaught error from outside of a turn. */
  readonly #fault = Promise.withResolvers<never>();
  readonly #reads: HeldReads;
  readonly #prefix: PrefixWatch;
  readonly #ports: SessionPreviews;
  #workspace: SessionWorkspace | undefined;
  #record: SessionRecord | undefined;
  #trace: SessionTrace | undefined;
  #turn: SessionTurn | undefined;
  #slot: TurnSlot | undefined;
  #isActive = true;
  #waitsForSlot = false;
  /** The time since which it waits for a permit. */
  #permitAwaited: number | undefined;
  #stopping: "handOver" | "abandon" | undefined;

  /** @param previous an earlier run of the session in this process; this one begins when it has ended. */
  constructor(deps: SessionRunnerDeps, lease: Lease, previous?: Promise<void>) {
    this.#deps = deps;
    this.lease = lease;
    this.#fault.promise.catch(() => undefined);
    this.#prefix = new PrefixWatch(deps.log);
    this.#ports = new SessionPreviews(deps, async () => (await this.#workspace?.openSandbox()) ?? null);
    this.#runLog = new RunLog(deps, lease, deps.mask, (entries) => {
      this.#record?.appended(entries);
      this.#trace?.appended(entries);
      this.#prefix.appended(entries);
    });
    // Without an open sandbox, it rests only until the reads are done.
    const onRead = () => this.#workspace?.isOpen() === false && this.wake();
    this.#reads = new HeldReads(() => this.ended, onRead);
    this.ended = inFaultScope(this, () => this.#run(previous)).catch((error: unknown) => {
      deps.log.error({ err: error }, "a session could not be released");
    });
  }

  /** Returns whether it has something to do, other than to stay warm or to wait. */
  isActive(): boolean {
    if (this.#workspace?.isWorking() === true) return true;
    if (!this.#isActive) return false;
    if (this.#slot !== undefined) return this.#slot.isHeld();
    return this.#workspace?.onlyWaits() !== true;
  }

  /** Returns the organization and owner of the session, or null before they are known. */
  share(): Share | null {
    return this.#workspace === undefined ? null : shareOf(this.#workspace);
  }

  /** Returns whether a turn is to begin and has no slot yet. */
  waitsForSlot(): boolean {
    return this.#waitsForSlot;
  }

  wake(): void {
    this.#news.set();
  }

  /**
   * Answers the waiting reads of the session's disk, beside its other work. Resolves when that is done, or
   * with false when the session is no longer held.
   */
  async readDisk(): Promise<boolean> {
    return await inFaultScope(this, () => this.#reads.answer());
  }

  /** Resolves when a sandbox is open for reads, or none can be. Never rejects. */
  async openForReads(): Promise<void> {
    await inFaultScope(this, () => this.#reads.opened());
  }

  fault(error: unknown): void {
    this.#deps.log.error({ err: error }, "a session threw an error that nothing caught");
    this.#deps.metrics.incident("error", "fault");
    if (this.#turn === undefined) this.#fault.reject(error);
    else this.#turn.fail(error);
  }

  /** Kills the sandbox at once and writes nothing more. */
  async abandon(): Promise<void> {
    this.#stopping = "abandon";
    this.#kill();
    this.wake();
    await this.ended;
  }

  /**
   * Lets a running turn continue to the next point where nothing is lost, for at most `graceMs`, then kills
   * what still runs. A turn that waits to retry its model request is at such a point already. Calls that wait
   * for the sandbox's place are not begun. If the turn is not over, the session is released as due, so that
   * another process continues it.
   */
  async handOver(graceMs: number): Promise<void> {
    this.#stopping ??= "handOver";
    this.#runLog.closeAtNextAppend();
    this.wake();
    this.#turn?.leaveWait();
    const grace = setTimeout(() => this.#kill(), graceMs);
    await this.ended;
    clearTimeout(grace);
  }

  async #run(previous: Promise<void> | undefined): Promise<void> {
    const { db, log } = this.#deps;
    try {
      await previous;
      await Promise.race([this.#stepUntilReleased(), this.#fault.promise]);
    } catch (error) {
      this.#kill();
      if (error instanceof LeaseLost) this.#logLeaseLost();
      else log.error({ err: error }, "a session could not be run");
      if (error instanceof DatabaseUnavailableError) await handOverRun(db.write, this.lease);
    } finally {
      this.#runLog.close();
      this.#ports.close();
      this.#trace?.close();
      await this.#endWorkspace();
    }
  }

  async #stepUntilReleased(): Promise<void> {
    while (this.#stopping !== "abandon") if (await this.#stepUnlessLost()) return;
  }

  /** Ends the workspace. After a fault that may never resolve, so it is given `END_MS`. */
  async #endWorkspace(): Promise<void> {
    const ended = this.#workspace?.end();
    const tooLong = this.#fault.promise.catch(() => pause(END_MS, undefined, { ref: false }));
    await Promise.race([ended, tooLong]);
  }

  /**
   * As `#step`. If the session was terminated meanwhile, or the log was closed for a hand-over, appends fail
   * just as if the lease was lost. Then it takes one more step, which reads the row to find out.
   *
   * @throws LeaseLost
   */
  async #stepUnlessLost(): Promise<boolean> {
    try {
      return await this.#step();
    } catch (error) {
      if (!(error instanceof LeaseLost) || this.#stopping === "abandon") throw error;
      this.#runLog.close();
      return await this.#step();
    }
  }

  /** Reads the session's state once and does what is due. Returns true when the session was released. */
  async #step(): Promise<boolean> {
    const { db } = this.#deps;
    this.#news.reset();
    const state = (await this.#beginAtOnce()) ?? (await this.#runLog.look());
    if (state === "turn ended") return await this.#afterTurn();
    // All is read at one moment, so changes before a message apply to its turn. Later messages wake it again.
    const inputs = await readInputs(db.read, this.lease.sessionId);
    const { waiting } = inputs;
    this.#runLog.messages.set(waiting.messages);
    this.#workspace ??= this.#openWorkspace(inputs);
    await this.#workspace.learnSecrets(inputs.resources);
    const held = { lease: this.lease, runLog: this.#runLog, workspace: this.#workspace };
    const { workspace } = held;
    // An archived session may have a turn to end: interrupted, waiting for a client, or never begun.
    const hasToEnd = isRunning(state) || waiting.interrupts;
    // If the log is closed here, the process that continues the session appends the rest.
    if (state.terminated || (state.archived && !hasToEnd && !this.#runLog.isClosed)) {
      await releaseEnded(this.#deps, held, state);
      return true;
    }
    if (this.#stopping === "handOver") {
      await releaseForHandOver(this.#deps, held, state);
      return true;
    }
    if (state.archived && hasToEnd) return await this.#endArchivedTurn(workspace, state, waiting);
    if (state.resting) return await this.#reads.release(() => this.#reclaim(workspace));
    if (state.setAside) return await this.#rest(workspace);
    await this.#refresh(workspace, inputs);
    if (await this.#act(state, workspace, waiting)) return await this.#afterTurn();
    return await this.#rest(workspace);
  }

  /**
   * Fast path: if only messages wait, one statement reads the state and begins the turn. Returns null, having
   * read nothing, when the fast path does not apply.
   */
  async #beginAtOnce(): Promise<SessionState | "turn ended" | null> {
    const { db, turns, permits, metrics } = this.#deps;
    const workspace = this.#workspace;
    if (workspace === undefined || this.#stopping !== undefined || turns.free === 0) return null;
    // After a termination the state must be read, and no turn begins.
    if (this.#runLog.isClosed) return null;
    if (await permits.areLimited(workspace.session)) return null;
    const slot = await this.#takeSlot(workspace);
    try {
      const { state, began } = await this.#runLog.beginTurn();
      if (!began) return state;
      metrics.turnWaited(0);
      await this.#refresh(workspace, await readInputs(db.read, this.lease.sessionId));
      await workspace.retryExhausted();
      await this.#runTurn(workspace, { resumed: false, isAnnounced: true, slot }, false);
      return "turn ended";
    } finally {
      this.#endSlot(slot);
    }
  }

  /** Rests if nothing has come since the turn ended. Returns true when the session was released. */
  async #afterTurn(): Promise<boolean> {
    const workspace = this.#workspace;
    if (workspace === undefined || this.#news.isSet || !this.#runLog.isSettled) return false;
    if (workspace.isBusy() || workspace.hasPending()) return false;
    return await this.#rest(workspace);
  }

  async #refresh(workspace: SessionWorkspace, inputs: SessionInputs): Promise<void> {
    // Resources may have been put in place while the sandbox was being closed.
    const isReopened = await workspace.reopenIfNeeded();
    await workspace.refresh(isReopened ? undefined : inputs);
  }

  #openWorkspace(inputs: SessionInputs): SessionWorkspace {
    const onQuiet = () => {
      this.#slot?.look();
      this.#deps.onRest();
    };
    const events = { onNeedsReopen: () => this.wake(), onQuiet };
    const workspace = this.#deps.openWorkspace(this.lease, inputs, this.#runLog, events);
    this.#record = new SessionRecord(this.#deps.log, workspace.session, this.#deps.metrics);
    this.#trace = new SessionTrace(this.#deps.traces, workspace.session);
    this.#reads.begin(new SessionReads(this.#deps, this.lease, workspace, this.#ports));
    return workspace;
  }

  /**
   * Reclaims the disk. Inputs that came meanwhile are handled by this run, unless the host is drained: here
   * they would need a new disk.
   */
  async #reclaim(workspace: SessionWorkspace): Promise<boolean> {
    const { db } = this.#deps;
    const isDraining = this.#deps.isDraining();
    await workspace.reclaim(isDraining ? "drained" : "inactivity");
    if (await releaseRun(db.write, this.lease)) return true;
    if (isDraining) await handOverRun(db.write, this.lease);
    return isDraining;
  }

  /** Stays warm for a while. Returns true when the session was released, false when it was woken. */
  async #rest(workspace: SessionWorkspace): Promise<boolean> {
    this.#isActive = false;
    this.#deps.onRest();
    const since = performance.now();
    const isWoken = await this.#waitWarm(workspace, since);
    this.#isActive = true;
    if (isWoken || workspace.isBusy() || this.#reads.areRunning) return false;
    if (await this.#isWokenWhileSaving(workspace)) return false;
    return await this.#reads.release(async () => {
      await this.#untilNews((news) => workspace.rest(news));
      return await releaseRun(this.#deps.db.write, this.lease);
    });
  }

  /**
   * Waits until the session has rested for long enough, and makes its summary when that is due. Returns true
   * when the session was woken.
   */
  async #waitWarm(workspace: SessionWorkspace, since: number): Promise<boolean> {
    const { idleMs, maxKeepAliveMs } = this.#deps;
    let warmMs = idleMs;
    while (!this.#news.isSet) {
      const due = (await this.#runLog.summaryDue()) ?? Number.POSITIVE_INFINITY;
      const isDue = due <= performance.now();
      if (isDue && (await this.#summarise(workspace, due))) continue;
      const rest = Math.min(this.#restMs(workspace, since, warmMs), due - performance.now());
      if (await this.#news.waitFor(isDue ? MIN_REST_MS : Math.max(0, rest))) return true;
      if (isDue || this.#restMs(workspace, since, warmMs) > 0) continue;
      const keptMs = this.#ports.areUsed ? maxKeepAliveMs : workspace.session.keepAliveMs;
      const keepAliveMs = Math.min(keptMs, maxKeepAliveMs);
      if (warmMs >= keepAliveMs || !(await workspace.hasProcesses())) return false;
      warmMs = Math.min(keepAliveMs, warmMs + Math.max(idleMs, MIN_REST_MS));
    }
    return true;
  }

  /** Makes the summary, unless woken before. Returns false when there is no permit or slot yet. */
  async #summarise(workspace: SessionWorkspace, due: number): Promise<boolean> {
    const { turns, permits } = this.#deps;
    const permit = turns.free > 0 ? await permits.take(this.lease, workspace.session) : null;
    if (permit === null && performance.now() - due < MAX_SUMMARY_DELAY_MS) return false;
    if (permit === null) {
      await this.#runLog.endSummary();
      return true;
    }
    const slot = await this.#takeSlot(workspace);
    this.#isActive = true;
    try {
      const watched = (model: Model) => this.#prefix.watched(model);
      const target = { log: this.#runLog, workspace, watched, spending: this.#spending(workspace) };
      await this.#untilNews((news) => summariseSession(this.#deps, target, news));
    } finally {
      this.#isActive = false;
      this.#endSlot(slot);
      await permit.release();
    }
    return true;
  }

  /** Runs `work` with a signal that aborts when the session is woken. */
  async #untilNews<T>(work: (news: AbortSignal) => Promise<T>): Promise<T> {
    const [over, news] = [new AbortController(), new AbortController()];
    const watching = this.#news.wait(over.signal).then(() => news.abort());
    try {
      return await work(news.signal);
    } finally {
      over.abort();
      await watching;
    }
  }

  /**
   * Saves the disk, without a slot. A wake-up stops the save and is acted on at once. Returns true when the
   * session must not be released.
   */
  async #isWokenWhileSaving(workspace: SessionWorkspace): Promise<boolean> {
    const over = new AbortController();
    this.#isActive = false;
    const onError = (err: unknown) => this.#deps.log.warn({ err }, "a workspace could not be saved");
    void workspace
      .save(over.signal)
      .catch(onError)
      .finally(() => over.abort());
    await this.#news.wait(over.signal);
    over.abort();
    this.#isActive = true;
    return this.#news.isSet || this.#reads.areRunning;
  }

  /**
   * Returns the milliseconds that are left of `warmMs`, for which the session stays warm after its last use at
   * `since` or by a read.
   */
  #restMs(workspace: SessionWorkspace, since: number, warmMs: number): number {
    const { idleMs } = this.#deps;
    if (this.#reads.areRunning) return Math.max(idleMs, MIN_REST_MS);
    if (!workspace.isOpen()) return 0;
    if (workspace.waitsForPlace() && workspace.hasPending()) return Math.max(idleMs, MIN_REST_MS);
    return Math.max(0, Math.max(since, this.#reads.lastAt) + warmMs - performance.now());
  }

  /** Settles interrupts or runs a turn. Returns false when there was nothing to do. */
  async #act(state: SessionState, workspace: SessionWorkspace, waiting: WaitingInputs): Promise<boolean> {
    const resumed = isRunning(state);
    if (waiting.interrupts && !waiting.requiresAction && !resumed) {
      await this.#settleInterrupts(waiting.interruptedMessages);
      return true;
    }
    if (!startsTurn(waiting) && !resumed) return false;
    const permit = await this.#deps.permits.take(this.lease, workspace.session);
    if (permit === null) {
      await this.#awaitPermit(workspace);
      return true;
    }
    try {
      const endTrial = await this.#beginTrial(state);
      try {
        return await this.#actInSlot(state, workspace, waiting, resumed);
      } finally {
        endTrial();
      }
    } finally {
      await permit.release();
    }
  }

  /** Waits for the session's trial to begin, without a slot. */
  async #beginTrial({ crashes }: SessionState): Promise<() => void> {
    if (crashes === 0) return () => undefined;
    this.#isActive = false;
    this.#deps.onRest();
    const end = await this.#deps.trials.begin(this.lease, crashes);
    this.#isActive = true;
    return end;
  }

  /**
   * Waits for a permit: its owner has all the turns that it may have. Meanwhile it takes no slot. Closes the
   * sandbox after `idleMs`.
   */
  async #awaitPermit(workspace: SessionWorkspace): Promise<void> {
    const stopListening = this.#deps.permits.whenReleased(() => this.wake());
    this.#isActive = false;
    this.#deps.onRest();
    this.#permitAwaited ??= performance.now();
    await this.#news.waitFor(PERMIT_POLL_MS);
    this.#isActive = true;
    stopListening();
    if (performance.now() - this.#permitAwaited > this.#deps.idleMs) await workspace.close();
  }

  async #actInSlot(
    state: SessionState,
    workspace: SessionWorkspace,
    waiting: WaitingInputs,
    resumed: boolean,
  ): Promise<true> {
    this.#permitAwaited = undefined;
    const mustWait = this.#deps.turns.free === 0;
    const asked = performance.now();
    const slot = await this.#takeSlot(workspace);
    this.#deps.metrics.turnWaited((performance.now() - asked) / 1_000);
    try {
      if (this.#stopping !== undefined) return true;
      // The turn may have waited long for its slot, so its inputs are read again.
      if (mustWait) await workspace.refresh();
      if (!resumed) await workspace.retryExhausted();
      const isAnnounced = resumed && state.status !== "rescheduling";
      await this.#runTurn(workspace, { resumed, isAnnounced, slot }, waiting.interrupts);
    } finally {
      this.#endSlot(slot);
    }
    return true;
  }

  /**
   * Ends the turn of an archived session that was interrupted with a former run, or whose calls wait for a
   * client. Calls and requests get their end events. Messages that waited get a turn that did nothing.
   */
  async #endArchivedTurn(
    workspace: SessionWorkspace,
    state: SessionState,
    waiting: WaitingInputs,
  ): Promise<false> {
    const resumed = isRunning(state);
    if (!resumed && !waiting.requiresAction) {
      await this.#settleInterrupts(waiting.interruptedMessages);
      return false;
    }
    const slot = await this.#takeSlot(workspace);
    try {
      const isAnnounced = resumed && state.status !== "rescheduling";
      await this.#runTurn(workspace, { resumed, isAnnounced, slot }, true);
    } finally {
      this.#endSlot(slot);
    }
    return false;
  }

  async #takeSlot(workspace: SessionWorkspace): Promise<TurnSlot> {
    this.#waitsForSlot = true;
    const slot = await TurnSlot.take(this.#deps.turns, {
      share: shareOf(workspace),
      onlyWaits: () => workspace.onlyWaits(),
      onGivenBack: this.#deps.onRest,
    });
    this.#waitsForSlot = false;
    this.#slot = slot;
    return slot;
  }

  #endSlot(slot: TurnSlot): void {
    this.#slot = undefined;
    slot.end();
  }

  #spending({ session }: SessionWorkspace): SessionSpending {
    return new SessionSpending(this.#deps, this.lease, session, this.#runLog.charges);
  }

  async #runTurn(
    workspace: SessionWorkspace,
    before: Pick<TurnOptions, "resumed" | "isAnnounced" | "slot">,
    interrupted: boolean,
  ): Promise<void> {
    const { db, log } = this.#deps;
    const turn = new SessionTurn(this.#deps, {
      ...before,
      log: this.#runLog,
      workspace,
      outputs: outputStore(db, this.lease),
      watched: (model) => this.#prefix.watched(model),
      spending: this.#spending(workspace),
      onFirstPart: (requestId) => this.#record?.firstPart(requestId),
      onGap: (parts) => this.#record?.gap(parts),
    });
    this.#turn = turn;
    if (interrupted) turn.abort();
    const stopWatching = watchTurn({
      db,
      log,
      lease: this.lease,
      news: this.#news,
      turn,
      workspace,
      runLog: this.#runLog,
    });
    try {
      await turn.ended;
    } catch (error) {
      // A termination or a hand-over closed the log, or another process has the session. The row says which.
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      await stopWatching();
      this.#turn = undefined;
    }
  }

  /**
   * Settles interrupts of a session that does not run and has no calls that wait. Messages before the
   * interrupt get a turn that did nothing.
   */
  async #settleInterrupts(withMessages: boolean): Promise<void> {
    if (withMessages) await this.#runLog.appendRunning();
    await this.#runLog.appendIdle(withMessages ? [idle({ type: "cancelled" })] : []);
  }

  #logLeaseLost(): void {
    this.#deps.metrics.leaseLost();
    this.#deps.log.info("the session's lease was lost");
  }

  #kill(): void {
    this.#runLog.close();
    this.#turn?.abort(new LeaseLost());
    const onError = (err: unknown) => this.#deps.log.warn({ err }, "a sandbox could not be closed");
    this.#workspace?.end().catch(onError);
  }
}

function shareOf({ session: { organizationId, ownerId } }: SessionWorkspace): Share {
  return { group: organizationId, member: ownerId };
}
