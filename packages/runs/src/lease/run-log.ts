import {
  type Draft,
  isToolUse,
  LeaseLost,
  type Log,
  type LogCopy,
  type LogEntry,
  StartedCalls,
} from "@berth/agent";
import { Semaphore } from "@berth/concurrency";
import type { Devcontainer, EventOf } from "@berth/contract";
import type { Database } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { SessionHub } from "@berth/store/notify";
import {
  type ConfirmationRuleRow,
  confirmationRules,
  readLogCopy,
  readRunLog,
  waitingInputs,
} from "@berth/store/session-log";
import type { Choices } from "../choices/choices.ts";
import { appendChoice } from "./append-choice.ts";
import {
  appendByRun,
  appendIdle,
  appendReclaimed,
  appendRunning,
  appendSummaryStart,
  appendTakingInputs,
  type RunAppend,
  takeReplies,
} from "./append-events.ts";
import { appendPlacement, type PlacementOutcome } from "./append-placement.ts";
import { beginTurn } from "./begin-turn.ts";
import { dropSummary, summaryDueIn } from "./claim-summaries.ts";
import { bytesInMemory, type LogMemory } from "./log-memory.ts";
import { type Mask, maskedDraft, maskedValue } from "./mask-draft.ts";
import { RequestCharges } from "./request-charges.ts";
import { clearPending, type SessionState } from "./session-state.ts";
import { usageDrafts } from "./session-usage.ts";
import { WaitingMessages } from "./waiting-messages.ts";

/** The event of an entry that a run appended, or that a client had appended and the run took. */
export interface Appended {
  event: Draft["event"] & { id?: string };
}

/** Bytes of taken inputs from which on some may have been left for the next request. */
const LARGE_INPUTS = 4 * 1024 * 1024;

/** Called with appended entries, in the order of the log. */
export type OnAppended = (entries: readonly Appended[]) => void;

/** Collaborators that the runs of one worker share. */
export interface RunLogDeps {
  db: Database;
  hub: SessionHub;
  /** Limits the memory of logs between turns. */
  logMemory: LogMemory;
}

/**
 * The log of a session under a lease. A run appends only through it, one append at a time in the order of the
 * calls. So event ids are in the order of the log. Each append would wait for the lock on the session's row
 * anyway. The session's secrets are masked in all that is appended.
 *
 * The log stays in memory from turn to turn, unless it is evicted, so that only new entries are read. While
 * the lease lasts only this run writes a run's entries, and each lease has its own `RunLog`.
 */
export class RunLog {
  /** Whether messages wait. Set before each turn; each `look` during the turn invalidates it. */
  readonly messages = new WaitingMessages();
  /** What the requests cost that have begun. */
  readonly charges = new RequestCharges();
  readonly #db: Database;
  readonly #hub: SessionHub;
  readonly #memory: LogMemory;
  readonly #lease: Lease;
  readonly #mask: Mask;
  readonly #onAppended: OnAppended;
  readonly #calls = new StartedCalls();
  readonly #appending = new Semaphore(1);
  /** The copy that is kept for the next turn. */
  #copy: LogCopy | undefined;
  #copyBytes = 0;
  /** Entries that were appended while the log is read, which the copy may lack. */
  #appendedMeanwhile: LogEntry[] | undefined;
  /** The copy of the running turn, kept when `#copy` is evicted meanwhile. */
  #turnCopy: LogCopy | undefined;
  readonly #kept = { bytes: () => this.#copyBytes, evict: () => this.#forget() };
  /** Whether the copy lacks only inputs that the next request takes. */
  #isCopyWhole = false;
  /** Whether nobody has read and cleared the session's due state since the turn began. */
  #isUnseen = false;
  #isSettled = false;
  /** When the summary is due; undefined when not known. See `summaryDue`. */
  #summaryDue: number | null | undefined;
  #isClosing = false;
  #isClosed = false;

  constructor(deps: RunLogDeps, lease: Lease, mask: Mask, onAppended: OnAppended = () => {}) {
    this.#db = deps.db;
    this.#hub = deps.hub;
    this.#memory = deps.logMemory;
    this.#lease = lease;
    this.#mask = mask;
    this.#onAppended = onAppended;
  }

  /** Reads the session's state and clears `pending_at`; see `clearPending`. */
  async look(): Promise<SessionState> {
    this.#unsettle();
    const state = await clearPending(this.#db.write, this.#lease);
    this.messages.invalidate();
    return state;
  }

  /**
   * Reads the state as `look` does, and begins a turn if only messages wait; see `beginTurn`. Returns the
   * state that the holder must act on, and whether the turn began.
   */
  async beginTurn(): Promise<{ state: SessionState; began: boolean }> {
    const looked = Promise.withResolvers<{ state: SessionState; began: boolean }>();
    await this.#append(async () => {
      this.#unsettle();
      const settled = this.#copy?.settledSeq();
      const { state, running, waiting } = await beginTurn(this.#db.write, this.#lease);
      looked.resolve({ state, began: running !== null });
      if (running === null) return [];
      this.#isUnseen = true;
      this.#isCopyWhole = settled !== undefined && settled + waiting + 1 === running.seq;
      this.messages.set(true);
      return [running];
    });
    return await looked.promise;
  }

  /**
   * Whether nothing that came before the end of the last turn is left. Then the session needs to be read only
   * after a new notification.
   */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Returns the log for one turn of the agent's loop. Its appends end the turn after `closeAtNextAppend`. */
  async forTurn(): Promise<Log> {
    const { read, write } = this.#db;
    const copy = await this.#readCopy();
    this.#turnCopy = copy;
    return {
      copy,
      append: (drafts) => this.#appendInTurn(() => this.#appendNow(drafts)),
      appendTakingInputs: (drafts) => this.#appendInTurn(() => this.#takeInputs(drafts)),
      takeClientReplies: async () => {
        // The replies that are taken start calls, so they are left to the process that takes over.
        if (this.#isClosing) this.#isClosed = true;
        return await this.#append(() => takeReplies(write, this.#lease));
      },
      isEnding: () => this.#isClosing,
      hasInputs: () =>
        this.messages.hasAny(async () => (await waitingInputs(read, this.#lease.sessionId)).messages),
    };
  }

  /** Returns the session's confirmation rules as they are now, oldest first. */
  confirmationRules(): Promise<ConfirmationRuleRow[]> {
    return confirmationRules(this.#db.read, this.#lease.sessionId);
  }

  append(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    return this.#append(() => this.#appendNow(drafts));
  }

  /** Appends, and marks the waiting inputs as processed, so that nothing else acts on them. */
  appendTakingInputs(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    return this.#append(() => this.#takeInputs(drafts));
  }

  async appendRunning(): Promise<void> {
    this.#isUnseen = true;
    await this.#append(() => this.#recordDue(appendRunning(this.#db.write, this.#lease)));
  }

  /** Returns the event that tells the session's usage; none if it has no budget. */
  usage(): Promise<Draft[]> {
    return usageDrafts(this.#db.write, this.#lease.sessionId);
  }

  /** @param summaryInMs see `appendIdle`. */
  async appendIdle(drafts: readonly Draft[], summaryInMs: number | null = null): Promise<void> {
    this.#summaryDue = summaryInMs === null ? null : performance.now() + summaryInMs;
    const appending = async () => {
      const appended = await appendIdle(this.#db.write, this.#lease, this.#masked(drafts), summaryInMs);
      this.#isSettled = this.#isUnseen && !appended.isDue;
      return appended;
    };
    await this.#append(() => this.#recordDue(appending()));
    this.#turnCopy = undefined;
  }

  /** Returns when to summarise the session, by `performance.now()`; null when not in this pause. */
  async summaryDue(): Promise<number | null> {
    if (this.#summaryDue === undefined) {
      const milliseconds = await summaryDueIn(this.#db.write, this.#lease);
      this.#summaryDue = milliseconds === null ? null : performance.now() + milliseconds;
    }
    return this.#summaryDue;
  }

  /** Appends the start of the summary. Returns nothing when inputs came, or no summary is to be made. */
  async appendSummaryStart(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    const appending = async () => {
      const appended = await appendSummaryStart(this.#db.write, this.#lease, this.#masked(drafts));
      return appended?.entries ?? [];
    };
    return await this.#append(appending);
  }

  /** Ends the summary of this pause, whether it was made or not. */
  async endSummary(): Promise<void> {
    this.#turnCopy = undefined;
    this.#summaryDue = null;
    await dropSummary(this.#db.write, this.#lease);
  }

  /** Appends, and records how the attempt to put a resource (by uuid) in place ended. */
  async appendPlacement(
    drafts: readonly Draft[],
    resourceId: string,
    outcome: PlacementOutcome,
  ): Promise<void> {
    const { write } = this.#db;
    await this.#append(() =>
      this.#recordDue(appendPlacement(write, this.#lease, this.#masked(drafts), resourceId, outcome)),
    );
  }

  /** Appends what the session chose from its repositories, and stores it with the session. Returns it masked. */
  async appendChoice(choices: Choices): Promise<Choices> {
    const masked = maskedValue(choices, this.#mask);
    const { runtimes, devcontainer } = masked;
    const drafts: Draft[] = [
      ...(runtimes === null ? [] : [{ event: { type: "session.runtimes_chosen" as const, ...runtimes } }]),
      ...(devcontainer === null
        ? []
        : [{ event: { type: "session.devcontainer_read" as const, ...devcontainer } }]),
    ];
    await this.#appendChoice(drafts, masked);
    return masked;
  }

  /** Appends what the session follows of a `devcontainer.json` from now on, and stores it with the session. */
  async appendDevcontainer(devcontainer: Devcontainer): Promise<void> {
    const masked = maskedValue(devcontainer, this.#mask);
    const event = { type: "session.devcontainer_read" as const, ...masked };
    await this.#appendChoice([{ event }], { devcontainer: masked });
  }

  async #appendChoice(drafts: readonly Draft[], choices: Partial<Choices>): Promise<void> {
    const { write } = this.#db;
    await this.#append(() =>
      this.#recordDue(appendChoice(write, this.#lease, this.#masked(drafts), choices)),
    );
  }

  async appendReclaimed(reason: EventOf<"session.container_reclaimed">["reason"]): Promise<void> {
    await this.#append(() => this.#recordDue(appendReclaimed(this.#db.write, this.#lease, reason)));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Closes the log. Every later append rejects with `LeaseLost`. */
  close(): void {
    this.#isClosed = true;
    this.#memory.forget(this.#kept);
  }

  /**
   * Ends the turn at the next point where nothing is lost. The log closes after the next append that
   * announces no tool call, once each running call has its result.
   */
  closeAtNextAppend(): void {
    this.#isClosing = true;
  }

  /** Records that the state is read, which clears `pending_at`: `appendIdle` may miss what set it. */
  #unsettle(): void {
    this.#isUnseen = false;
    this.#isSettled = false;
  }

  /** Returns the log as it is now. */
  async #readCopy(): Promise<LogCopy> {
    const known = this.#copy;
    const isWhole = this.#isCopyWhole && known !== undefined;
    this.#isCopyWhole = false;
    const copy = known ?? (await this.#readAnew());
    this.#copy = copy;
    const entries = known === undefined ? copy.entries : isWhole ? [] : await this.#readSince(known);
    this.#calls.beginTurn(entries);
    if (!this.#isClosed) this.#memory.keep(this.#kept);
    return copy;
  }

  async #readAnew(): Promise<LogCopy> {
    const meanwhile: LogEntry[] = [];
    this.#appendedMeanwhile = meanwhile;
    const copy = await readLogCopy(this.#db.read, this.#lease.sessionId);
    copy.add(meanwhile);
    this.#appendedMeanwhile = undefined;
    this.#copyBytes = copy.entries.reduce((sum, entry) => sum + bytesInMemory(entry), 0);
    return copy;
  }

  async #readSince(copy: LogCopy): Promise<readonly LogEntry[]> {
    const entries = await readRunLog(this.#db.read, this.#lease.sessionId, copy.settledSeq());
    this.#add(copy, entries);
    return entries;
  }

  #add(copy: LogCopy | undefined, entries: readonly LogEntry[]): void {
    copy?.add(entries);
    if (copy === undefined) this.#appendedMeanwhile?.push(...entries);
    if (copy !== undefined && copy === this.#copy)
      for (const entry of entries) this.#copyBytes += bytesInMemory(entry);
  }

  #forget(): void {
    this.#copy = undefined;
    this.#copyBytes = 0;
  }

  #masked(drafts: readonly Draft[]): Draft[] {
    return drafts.map((draft) => maskedDraft(draft, this.#mask));
  }

  #appendNow(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    return this.#recordDue(
      appendByRun(this.#db.write, this.#lease, this.#masked(drafts), this.charges.take(drafts)),
    );
  }

  async #takeInputs(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    this.messages.clear();
    const entries = await appendTakingInputs(this.#db.write, this.#lease, this.#masked(drafts));
    if (bytesInMemory(entries) > LARGE_INPUTS) this.messages.invalidate();
    return entries;
  }

  async #recordDue(appending: Promise<RunAppend>): Promise<readonly LogEntry[]> {
    const { entries, isDue } = await appending;
    if (isDue) this.messages.invalidate();
    return entries;
  }

  async #append(append: () => Promise<readonly LogEntry[]>): Promise<readonly LogEntry[]> {
    return await this.#appending.run(async () => {
      if (this.#isClosed) throw new LeaseLost();
      const appended = await append();
      if (appended.length === 0) return appended;
      this.#calls.add(appended);
      this.#add(this.#turnCopy ?? this.#copy, appended);
      this.#onAppended(appended);
      this.#hub.publish(this.#lease.sessionId);
      return appended;
    });
  }

  async #appendInTurn(append: () => Promise<readonly LogEntry[]>): Promise<readonly LogEntry[]> {
    const entries = await this.#append(append);
    const isSafePoint = this.#calls.isEmpty() && !entries.some(({ event }) => isToolUse(event));
    if (this.#isClosing && isSafePoint) this.#isClosed = true;
    if (this.#isClosed) throw new LeaseLost();
    return entries;
  }
}
