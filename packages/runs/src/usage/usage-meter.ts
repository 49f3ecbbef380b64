import type { Queryable } from "@berth/store/db";
import type { Logger } from "pino";
import { addSandboxSeconds, storeDiskBytes, type UsageOwner } from "./usage-store.ts";

export interface MeteredSandbox extends UsageOwner {
  sessionId: string;
  /** The path of the session's disk. */
  diskPath: string;
}

export interface MeterDeps {
  db: { write: Queryable };
  log: Logger;
  /** Returns the bytes that a disk takes on its host, or null where that is not known. */
  diskBytes(path: string): Promise<number | null>;
}

const FLUSH_MS = 30_000;

/**
 * Measures how long sandboxes are open and how large their disks are, and stores both every half minute.
 * Usage that was not stored when the process dies is not counted.
 */
export class UsageMeter {
  readonly #deps: MeterDeps;
  readonly #now: () => number;
  readonly #open = new Map<MeteredSandbox, { since: number }>();
  readonly #used = new Map<string, UsageOwner & { seconds: number }>();
  /** Paths of disks that were used since they were last measured, by session. */
  readonly #touched = new Map<string, string>();
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> = Promise.resolve();

  /** @param now milliseconds of a monotonic clock. */
  constructor(deps: MeterDeps, now: () => number = () => performance.now()) {
    this.#deps = deps;
    this.#now = now;
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Starts metering a sandbox. Call the returned function when it closes. */
  opened(sandbox: MeteredSandbox): () => void {
    this.#open.set(sandbox, { since: this.#now() });
    return () => {
      this.#count(sandbox);
      this.#open.delete(sandbox);
    };
  }

  /** Stores the usage so far. What could not be stored is stored with the next flush. */
  async flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#store());
    await this.#flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  #count(sandbox: MeteredSandbox): void {
    const open = this.#open.get(sandbox);
    if (open === undefined) return;
    const now = this.#now();
    this.#add(sandbox, (now - open.since) / 1_000);
    open.since = now;
    this.#touched.set(sandbox.sessionId, sandbox.diskPath);
  }

  #add({ organizationId, ownerId }: UsageOwner, seconds: number): void {
    const before = this.#used.get(ownerId)?.seconds ?? 0;
    this.#used.set(ownerId, { organizationId, ownerId, seconds: before + seconds });
  }

  async #store(): Promise<void> {
    for (const sandbox of this.#open.keys()) this.#count(sandbox);
    const used = [...this.#used.values()];
    const touched = [...this.#touched];
    if (used.length === 0 && touched.length === 0) return;
    this.#used.clear();
    this.#touched.clear();
    const { db, log } = this.#deps;
    try {
      if (used.length > 0) await addSandboxSeconds(db.write, used);
    } catch (error) {
      for (const one of used) this.#add(one, one.seconds);
      log.warn({ err: error }, "the usage of sandboxes could not be stored");
    }
    try {
      await storeDiskBytes(db.write, await this.#measured(touched));
    } catch (error) {
      for (const [session, path] of touched)
        if (!this.#touched.has(session)) this.#touched.set(session, path);
      log.warn({ err: error }, "the usage of disks could not be stored");
    }
  }

  async #measured(
    touched: readonly (readonly [string, string])[],
  ): Promise<{ sessionId: string; bytes: number }[]> {
    const all = await Promise.all(
      touched.map(async ([sessionId, path]) => {
        const bytes = await this.#deps.diskBytes(path).catch(() => null);
        return bytes === null ? [] : [{ sessionId, bytes }];
      }),
    );
    return all.flat();
  }
}
