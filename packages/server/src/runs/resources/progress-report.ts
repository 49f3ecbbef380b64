import type { CloneProgress } from "../inputs/placement.ts";
import type { RunLog } from "../lease/run-log.ts";

export interface ProgressReport {
  progress(progress: CloneProgress): void;
  /** Resolves when nothing is told any more. */
  end(): Promise<void>;
}

const INTERVAL_MS = 1_000;

/** Tells progress in the log, the newest of each second at most, and one after another. */
export function createProgressReport(runLog: RunLog, resourceId: string): ProgressReport {
  let newest: CloneProgress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let telling: Promise<unknown> = Promise.resolve();

  function tell(): void {
    timer = undefined;
    const progress = newest;
    newest = undefined;
    if (progress === undefined) return;
    timer = setTimeout(tell, INTERVAL_MS);
    const event = { type: "session.resource_progress" as const, resource_id: resourceId, ...progress };
    // What cannot be told is told better by what follows.
    telling = telling.then(() => runLog.append([{ event }])).catch(() => undefined);
  }

  return {
    progress(progress) {
      newest = progress;
      if (timer === undefined) tell();
    },
    async end() {
      clearTimeout(timer);
      newest = undefined;
      timer = undefined;
      await telling;
    },
  };
}
