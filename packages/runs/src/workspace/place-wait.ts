import type { SandboxWait } from "@berth/sandbox";
import type { RunLog } from "../lease/run-log.ts";
import type { Activity } from "../repositories/activity.ts";

/** Milliseconds between two reports. Reasons that change sooner are not all reported. */
const REPORT_MS = 15_000;

const WORDS: Readonly<Record<SandboxWait["for"], string>> = {
  place: "The sandbox waits for a node",
  image: "The sandbox is not ready on its node yet",
};

/**
 * The wait of a session's sandbox for a place, or for its image there. It takes no slot, is reported in the
 * session's log while a call needs the sandbox, and can be given up.
 */
export class PlaceWait {
  readonly #runLog: Pick<RunLog, "append">;
  readonly #activity: Activity;
  readonly #ending: AbortSignal;
  #givingUp = new AbortController();
  #signal: AbortSignal;
  #begun = Promise.withResolvers<void>();
  #wait: SandboxWait | null = null;
  #endPause: (() => void) | null = null;
  #pausing: Promise<void> | undefined;
  #waitedMs = 0;
  #since = 0;
  /** The number of calls that need the sandbox now. */
  #needs = 0;
  #reported: string | null = null;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #reportTimer: NodeJS.Timeout | undefined;

  /** @param ending aborts when the session needs no sandbox. */
  constructor(runLog: Pick<RunLog, "append">, activity: Activity, ending: AbortSignal) {
    this.#runLog = runLog;
    this.#activity = activity;
    this.#ending = ending;
    this.#signal = ending;
  }

  /** Aborts when the sandbox that is being opened is not needed. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  get isWaiting(): boolean {
    return this.#wait !== null;
  }

  /** Seconds for which the sandbox waited; null when no wait was reported to a call that needs it. */
  get reportedSeconds(): number | null {
    if (this.#reported === null) return null;
    const now = this.isWaiting ? performance.now() - this.#since : 0;
    return Math.round(this.#waitedMs + now) / 1_000;
  }

  /** Opens a sandbox. If the opening may wait, it must run in `Activity.run`. Only one runs at a time. */
  async during<T>(open: () => Promise<T>): Promise<T> {
    this.#givingUp = new AbortController();
    this.#signal = AbortSignal.any([this.#ending, this.#givingUp.signal]);
    this.#waitedMs = 0;
    try {
      return await open();
    } finally {
      this.changed(null);
      await this.#pausing;
    }
  }

  /** Takes the engine's report of a wait, or of its end; see `SandboxSpec.onWaiting`. */
  readonly changed = (wait: SandboxWait | null): void => {
    const former = this.#wait;
    this.#wait = wait;
    if (former === null && wait !== null) this.#begin();
    if (former !== null && wait === null) this.#end();
    this.#report();
  };

  /** Waits for the sandbox on behalf of a call. */
  async needed<T>(sandbox: () => Promise<T>): Promise<T> {
    this.#needs += 1;
    this.#report();
    try {
      return await sandbox();
    } finally {
      this.#needs -= 1;
      if (this.#needs === 0) this.#reported = null;
    }
  }

  /** Resolves with the step's result, or undefined when the sandbox waits before. The step continues. */
  async unlessWaiting<T>(step: Promise<T>): Promise<T | undefined> {
    return await Promise.race([step, this.#begun.promise.then(() => undefined)]);
  }

  /** Ends an opening that waits, because nobody needs the sandbox. */
  giveUp(): void {
    if (this.isWaiting) this.#givingUp.abort(new Error("The sandbox is no longer needed."));
  }

  #begin(): void {
    this.#since = performance.now();
    const over = Promise.withResolvers<void>();
    this.#endPause = over.resolve;
    this.#pausing = this.#activity.pause(() => over.promise);
    this.#begun.resolve();
  }

  #end(): void {
    this.#waitedMs += performance.now() - this.#since;
    this.#endPause?.();
    this.#begun = Promise.withResolvers();
  }

  #report(): void {
    clearTimeout(this.#reportTimer);
    if (this.#wait === null || this.#needs === 0 || this.#signal.aborted) return;
    const reason = `${WORDS[this.#wait.for]}: ${this.#wait.reason}`;
    if (reason === this.#reported) return;
    const early = this.#reported === null ? 0 : REPORT_MS - (performance.now() - this.#reportedAt);
    if (early > 0) {
      this.#reportTimer = setTimeout(() => this.#report(), early).unref();
      return;
    }
    this.#reported = reason;
    this.#reportedAt = performance.now();
    const event = { type: "session.status_rescheduled" as const, reason };
    // A log that rejects appends ends the run by other means.
    this.#runLog.append([{ event }]).catch(() => undefined);
  }
}
