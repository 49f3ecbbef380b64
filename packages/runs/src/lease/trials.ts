import { type Release, Semaphore } from "@berth/concurrency";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { beginTrial } from "./crashed-store.ts";

/** After one crash, a session that has not done it again for so long lets the next one begin. */
const TRIAL_MS = 60_000;

/**
 * Sessions during whose turns a process has crashed are run one at a time, so that the next crash says which of them it was. After one crash
 * that is for a minute at most; after more, until the turn ends.
 */
export class Trials {
  readonly #db: Queryable;
  readonly #places = new Semaphore(1);

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Resolves when the turn may begin. */
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
