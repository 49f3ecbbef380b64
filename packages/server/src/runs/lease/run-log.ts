import { type Draft, isToolUse, LeaseLost, type Log, type LogEntry, StartedCalls } from "@berth/agent";
import { Semaphore } from "@berth/concurrency";
import type { EventOf } from "@berth/contract";
import type { Database } from "../../db/pool.ts";
import { readLog, waitingInputs } from "../../features/sessions/events/event-store.ts";
import type { SessionHub } from "../../notify/session-hub.ts";
import {
  appendByRun,
  appendIdle,
  appendReclaimed,
  appendRunning,
  appendTakingInputs,
  takeReplies,
} from "./append-events.ts";
import { appendPlacement, type PlacementOutcome } from "./append-placement.ts";
import type { Lease } from "./lease.ts";
import { type Mask, maskedDraft } from "./mask-draft.ts";

/** Of an entry that was appended, or that a client had appended and the run took: its event. */
export interface Appended {
  event: Draft["event"] & { id?: string };
}

/** Told of what was appended, in the order of the log. */
export type OnAppended = (entries: readonly Appended[]) => void;

/**
 * The log of a session under a lease. Everything that a run appends goes through it, one append at a time in the order of the
 * calls: so events have their ids in the order of the log. Each append would wait for the session's row anyway. The session's
 * secrets are masked in all of it.
 */
export class RunLog {
  readonly #db: Database;
  readonly #hub: SessionHub;
  readonly #lease: Lease;
  readonly #mask: Mask;
  readonly #onAppended: OnAppended;
  readonly #calls = new StartedCalls();
  readonly #appending = new Semaphore(1);
  #isClosing = false;
  #isClosed = false;

  constructor(db: Database, hub: SessionHub, lease: Lease, mask: Mask, onAppended: OnAppended = () => {}) {
    this.#db = db;
    this.#hub = hub;
    this.#lease = lease;
    this.#mask = mask;
    this.#onAppended = onAppended;
  }

  /** The log for one turn of the agent's loop. Its appends end the turn after `closeAtNextAppend`. */
  async forTurn(): Promise<Log> {
    const { read, write } = this.#db;
    const entries = await readLog(read, this.#lease.sessionId);
    this.#calls.beginTurn(entries);
    return {
      entries,
      append: (drafts) => this.#appendInTurn(() => appendByRun(write, this.#lease, this.#masked(drafts))),
      appendTakingInputs: (drafts) =>
        this.#appendInTurn(() => appendTakingInputs(write, this.#lease, this.#masked(drafts))),
      takeClientReplies: async () => {
        // Calls start with the replies that are taken: they are left to the process that takes over.
        if (this.#isClosing) this.#isClosed = true;
        const replies = await this.#append(() => takeReplies(write, this.#lease));
        this.#calls.add(replies);
        return replies;
      },
      hasInputs: async () => (await waitingInputs(read, this.#lease.sessionId)).messages,
    };
  }

  append(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    return this.#append(() => appendByRun(this.#db.write, this.#lease, this.#masked(drafts)));
  }

  /** Also marks the waiting inputs as processed, so that nothing else acts on them. */
  appendTakingInputs(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    return this.#append(() => appendTakingInputs(this.#db.write, this.#lease, this.#masked(drafts)));
  }

  async appendRunning(): Promise<void> {
    await this.#append(() => appendRunning(this.#db.write, this.#lease));
  }

  async appendIdle(drafts: readonly Draft[]): Promise<void> {
    await this.#append(() => appendIdle(this.#db.write, this.#lease, this.#masked(drafts)));
  }

  /** Also records how the attempt to put a resource (by uuid) in place ended. */
  async appendPlacement(
    drafts: readonly Draft[],
    resourceId: string,
    outcome: PlacementOutcome,
  ): Promise<void> {
    const { write } = this.#db;
    await this.#append(() => appendPlacement(write, this.#lease, this.#masked(drafts), resourceId, outcome));
  }

  async appendReclaimed(reason: EventOf<"session.container_reclaimed">["reason"]): Promise<void> {
    await this.#append(() => appendReclaimed(this.#db.write, this.#lease, reason));
  }

  /** Every later append rejects with `LeaseLost`. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * Ends the turn at the next point where nothing is lost: the log closes after the next append that announces no tool call,
   * once each call that runs has its result.
   */
  closeAtNextAppend(): void {
    this.#isClosing = true;
  }

  #masked(drafts: readonly Draft[]): Draft[] {
    return drafts.map((draft) => maskedDraft(draft, this.#mask));
  }

  async #append(append: () => Promise<readonly LogEntry[]>): Promise<readonly LogEntry[]> {
    return await this.#appending.run(async () => {
      if (this.#isClosed) throw new LeaseLost();
      const appended = await append();
      this.#onAppended(appended);
      this.#hub.publish(this.#lease.sessionId);
      return appended;
    });
  }

  async #appendInTurn(append: () => Promise<readonly LogEntry[]>): Promise<readonly LogEntry[]> {
    const entries = await this.#append(append);
    this.#calls.add(entries);
    const isSafePoint = this.#calls.isEmpty() && !entries.some(({ event }) => isToolUse(event));
    if (this.#isClosing && isSafePoint) this.#isClosed = true;
    if (this.#isClosed) throw new LeaseLost();
    return entries;
  }
}
