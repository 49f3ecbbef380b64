import { type Release, Semaphore } from "@berth/concurrency";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { beginTrial } from "./crashed-store.ts";

/** Milliseconds after which a session with one crash and no further one lets the next trial begin. */
const TRIAL_MS = 60_000;

/**
 * Runs one at a time the sessions during whose turns a process has crashed, so that the next crash shows
 * which session caused it. After one crash that lasts a minute at most; after more crashes, until the turn
 * ends.
 */
export class Trials {
  readonly #db: Queryable;
  readonly #places = new Semaphore(1);

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Waits until the turn may begin. Returns a function that ends the trial. */
  async begin(lease: Lease, crashes: number): Promise<Release> {
    if (crashes === 0) return () => undefined;
    const release = await this.#places.acquire();
    const timer = crashes === 1 ? setTimeout(release, TRIAL_MS) : undefined;
    const end = () => {
      clearTimeout(timer);
      release();
    };
    try {
      await beginTrial(this.#db, lease);
      return end;
    } catch (error) {
      end();
      throw error;
    }
  }
}
