import { type Database, DatabaseUnavailableError } from "@berth/store/db";
import type { SessionHub } from "@berth/store/notify";
import type { Logger } from "pino";
import { untilDue } from "../store/deployment-store.ts";
import type { RunDeps } from "./run-deployment.ts";
import { runDue } from "./run-due.ts";

export interface SchedulerDeps extends RunDeps {
  db: Database;
  hub: Pick<SessionHub, "publish">;
  log: Pick<Logger, "error" | "warn">;
}

/** Milliseconds after which the schedules of other processes are seen. */
const POLL_MS = 2_000;
/** Milliseconds until deployments that others run are looked at again. */
const BUSY_MS = 200;
/** Number of deployments that one process runs at the same time. */
const WORKERS = 4;

/**
 * Runs the deployments of a database when their schedules say so. Every process with an API has one; a row lock
 * decides which of them runs a slot. It sleeps until the next one is due.
 */
export class DeploymentScheduler {
  readonly #deps: SchedulerDeps;
  readonly #closing = new AbortController();
  #wake: () => void = () => undefined;
  #running: Promise<void> | undefined;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  /** Starts running deployments, until `close`. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Looks at the schedules again. Call it after a commit that changed one. */
  wake(): void {
    this.#wake();
  }

  /** Stops, and resolves when the transactions that are open have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      const timer = setTimeout(woken.resolve, await this.runAllDue()).unref();
      await woken.promise;
      clearTimeout(timer);
    }
  }

  /** Runs what is due, and returns the milliseconds until there may be more. */
  async runAllDue(): Promise<number> {
    const { db, log } = this.#deps;
    try {
      const ms = await untilDue(db.read);
      if (ms === null || ms > 0) return Math.min(Math.ceil(ms ?? POLL_MS), POLL_MS);
      const counts = await Promise.all(Array.from({ length: WORKERS }, () => this.#runOneByOne()));
      return counts.some((count) => count > 0) ? 0 : BUSY_MS;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError))
        log.warn({ err: error }, "schedules could not be read");
      return POLL_MS;
    }
  }

  /** Runs deployments until none is due, and returns their number. A failure ends it, and is tried again later. */
  async #runOneByOne(): Promise<number> {
    const { db, hub, log } = this.#deps;
    let count = 0;
    try {
      while (!this.#closing.signal.aborted) {
        const done = await runDue(db, this.#deps);
        if (done === null) break;
        count += 1;
        const session = done.ran?.session ?? null;
        if (session?.due) hub.publish(session.id, true);
      }
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError))
        log.warn({ err: error }, "a deployment could not run");
      return 0;
    }
    return count;
  }
}
