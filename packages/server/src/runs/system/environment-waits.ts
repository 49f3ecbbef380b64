import type { EventOf } from "@berth/contract";
import type { RunLog } from "../lease/run-log.ts";

export type EnvironmentPhase = EventOf<"session.environment_progress">["phase"];

/** Tells in a session's log what it waits for before its sandbox can open. */
export interface EnvironmentWaits {
  /** From now on it is this; what it was before is over. */
  begin(phase: EnvironmentPhase): void;
  /** Nothing is waited for any more. Resolves when that is told. */
  end(): Promise<void>;
}

/** What takes less is not told: it would be over before anybody had read it. */
const UNTOLD_MS = 1_000;

/** @param signal aborts when the session needs no sandbox any more: nothing is told then. */
export function createEnvironmentWaits(
  runLog: Pick<RunLog, "append">,
  signal: AbortSignal,
  now: () => number = () => performance.now(),
): EnvironmentWaits {
  let current: { phase: EnvironmentPhase; began: number; timer: NodeJS.Timeout; told: boolean } | undefined;
  let telling: Promise<unknown> = Promise.resolve();

  function tell(phase: EnvironmentPhase, seconds: number | null): void {
    if (signal.aborted) return;
    const event = { type: "session.environment_progress" as const, phase, seconds };
    // A log that cannot be written to any more ends the run by what follows.
    telling = telling.then(() => runLog.append([{ event }])).catch(() => undefined);
  }

  function leave(): void {
    if (current === undefined) return;
    const { phase, began, timer, told } = current;
    current = undefined;
    clearTimeout(timer);
    if (told) tell(phase, Math.round(now() - began) / 1000);
  }

  return {
    begin(phase) {
      leave();
      const timer = setTimeout(() => {
        if (current?.timer !== timer) return;
        current.told = true;
        tell(phase, null);
      }, UNTOLD_MS);
      current = { phase, began: now(), timer, told: false };
    },
    async end() {
      leave();
      await telling;
    },
  };
}
