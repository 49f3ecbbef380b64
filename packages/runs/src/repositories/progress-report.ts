import type { CloneProgress } from "../inputs/placement.ts";
import type { RunLog } from "../lease/run-log.ts";

const INTERVAL_MS = 1_000;

/** Appends the progress of one resource to the log, at most the newest of each second. */
export class ProgressReport {
  readonly #runLog: RunLog;
  readonly #resourceId: string;
  #newest: CloneProgress | undefined;
  #timer: NodeJS.Timeout | undefined;
  #appending: Promise<unknown> = Promise.resolve();

  constructor(runLog: RunLog, resourceId: string) {
    this.#runLog = runLog;
    this.#resourceId = resourceId;
  }

  /** Records progress. Can be passed as a callback. */
  readonly progress = (progress: CloneProgress): void => {
    this.#newest = progress;
    if (this.#timer === undefined) this.#append();
  };

  /** Ends the report. Resolves when nothing more is appended. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#newest = undefined;
    this.#timer = undefined;
    await this.#appending;
  }

  #append(): void {
    this.#timer = undefined;
    const progress = this.#newest;
    this.#newest = undefined;
    if (progress === undefined) return;
    this.#timer = setTimeout(() => this.#append(), INTERVAL_MS);
    const event = {
      type: "session.resource_progress" as const,
      resource_id: this.#resourceId,
      ...progress,
    };
    // A log that cannot be written ends the run at the next append.
    this.#appending = this.#runLog.append([{ event }]).catch(() => undefined);
  }
}
