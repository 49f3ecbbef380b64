import type { EventOf } from "@berth/contract";
import type { RunLog } from "../lease/run-log.ts";

export type EnvironmentPhase = EventOf<"session.environment_progress">["phase"];

/** Milliseconds. Shorter phases are not reported, since they would be over before anybody reads it. */
const UNREPORTED_MS = 1_000;

interface Phase {
  name: EnvironmentPhase;
  began: number;
  timer: NodeJS.Timeout;
  isReported: boolean;
}

/** Reports in a session's log what its sandbox waits for before it can open. */
export class EnvironmentProgress {
  readonly #runLog: Pick<RunLog, "append">;
  readonly #signal: AbortSignal;
  readonly #now: () => number;
  #current: Phase | undefined;
  #lastAppend: Promise<unknown> = Promise.resolve();

  /** @param signal aborts when the session needs no sandbox; nothing is reported after that. */
  constructor(
    runLog: Pick<RunLog, "append">,
    signal: AbortSignal,
    now: () => number = () => performance.now(),
  ) {
    this.#runLog = runLog;
    this.#signal = signal;
    this.#now = now;
  }

  /** Starts a phase and ends the one before. */
  start(name: EnvironmentPhase): void {
    this.#endPhase();
    const timer = setTimeout(() => {
      phase.isReported = true;
      this.#report(name, null);
    }, UNREPORTED_MS);
    const phase = { name, began: this.#now(), timer, isReported: false };
    this.#current = phase;
  }

  /** Ends the last phase. Resolves when that is reported. */
  async end(): Promise<void> {
    this.#endPhase();
    await this.#lastAppend;
  }

  #endPhase(): void {
    if (this.#current === undefined) return;
    const { name, began, timer, isReported } = this.#current;
    this.#current = undefined;
    clearTimeout(timer);
    if (isReported) this.#report(name, Math.round(this.#now() - began) / 1000);
  }

  #report(phase: EnvironmentPhase, seconds: number | null): void {
    if (this.#signal.aborted) return;
    const event = { type: "session.environment_progress" as const, phase, seconds };
    // A log that rejects appends ends the run by other means.
    this.#lastAppend = this.#runLog.append([{ event }]).catch(() => undefined);
  }
}
