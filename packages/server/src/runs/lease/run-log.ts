import { type Draft, isToolUse, LeaseLost, type Log, type LogEntry, StartedCalls } from "@berth/agent";
import { Semaphore } from "@berth/concurrency";
import type { Database } from "../../db/pool.ts";
import { readLog, waitingInputs } from "../../features/events/event-store.ts";
import type { SessionHub } from "../../notify/session-hub.ts";
import {
  appendByRun,
  appendIdle,
  appendReclaimed,
  appendRunning,
  appendTakingInputs,
  takeAnswers,
} from "./append-events.ts";
import type { Lease } from "./lease.ts";

/** The log of a session under a lease: for the loop, and for what its run tells besides. */
export interface RunLog {
  /** Everything so far, and the appends of one turn. */
  forTurn(): Promise<Log>;
  append(drafts: readonly Draft[]): Promise<readonly LogEntry[]>;
  /** The same, and the inputs that wait are processed by it: nothing else will act on them. */
  appendTakingInputs(drafts: readonly Draft[]): Promise<readonly LogEntry[]>;
  appendRunning(): Promise<void>;
  /** The session is idle after these; see `appendIdle` of the store. */
  appendIdle(drafts: readonly Draft[]): Promise<void>;
  /** The session has no disk any more; see `appendReclaimed` of the store. */
  appendReclaimed(reason: "inactivity" | "lost"): Promise<void>;
  /** Nothing is written any more: appends reject with `LeaseLost`. */
  close(): void;
  /**
   * The turn is to end at the next place where nothing is lost: the log is closed after the next append that announces no
   * tool call, once each call that runs has its result.
   */
  closeAtNextAppend(): void;
}

export function createRunLog(db: Database, hub: SessionHub, lease: Lease): RunLog {
  let closed = false;
  let closing = false;
  const calls = new StartedCalls();
  const inTurn = new Semaphore(1);

  /** One after another, so that events have their ids in the order of the log. They would wait for the session's row besides. */
  async function writing<T>(append: () => Promise<T>): Promise<T> {
    return await inTurn.run(async () => {
      if (closed) throw new LeaseLost();
      const result = await append();
      hub.publish(lease.sessionId);
      return result;
    });
  }

  async function turnAppend(
    append: typeof appendByRun,
    drafts: readonly Draft[],
  ): Promise<readonly LogEntry[]> {
    const entries = await writing(() => append(db.write, lease, drafts));
    calls.add(entries);
    if (closing && calls.isEmpty() && !entries.some((entry) => isToolUse(entry.event))) closed = true;
    if (closed) throw new LeaseLost();
    return entries;
  }

  return {
    async forTurn() {
      const log = await readLog(db.read, lease.sessionId);
      calls.beginTurn(log);
      return {
        entries: log,
        append: (drafts) => turnAppend(appendByRun, drafts),
        appendTakingInputs: (drafts) => turnAppend(appendTakingInputs, drafts),
        takeClientReplies: async () => {
          // What is taken is about to begin: it is left to the process that goes on.
          if (closing) closed = true;
          const answers = await writing(() => takeAnswers(db.write, lease));
          calls.add(answers);
          return answers;
        },
        hasInputs: async () => (await waitingInputs(db.read, lease.sessionId)).messages,
      };
    },
    append: (drafts) => writing(() => appendByRun(db.write, lease, drafts)),
    appendTakingInputs: (drafts) => writing(() => appendTakingInputs(db.write, lease, drafts)),
    appendRunning: () => writing(async () => void (await appendRunning(db.write, lease))),
    appendIdle: (drafts) => writing(async () => void (await appendIdle(db.write, lease, drafts))),
    appendReclaimed: (reason) => writing(async () => void (await appendReclaimed(db.write, lease, reason))),
    close() {
      closed = true;
    },
    closeAtNextAppend() {
      closing = true;
    },
  };
}
