import { setTimeout as delay } from "node:timers/promises";
import type { Disks, SandboxShape, WarmSandboxes } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Logger } from "pino";
import { poolShares, type Share } from "./pool-shares.ts";
import {
  addDisk,
  forgetDisk,
  type Keeper,
  lastShapes,
  markLeaving,
  markReady,
  type PoolDisk,
  readPool,
} from "./pool-store.ts";
import { Setbacks } from "./setbacks.ts";

export interface PoolDeps {
  db: Queryable;
  log: Logger;
  warm: WarmSandboxes;
  disks: Disks;
  /** The number of sandboxes in the pool of the place. */
  size: number;
  /** The shape of the pool while no session has had a new disk. */
  defaultShape: SandboxShape;
}

/** Seconds after which a removed disk is forgotten. A sandbox that was opening may have made it again. */
const FORGOTTEN_SECONDS = 600;
/** Milliseconds for which the next work waits for a removal. */
const REMOVAL_MS = 5_000;

/** Maintains the pool of a place. Only one runner does so at a time. */
export class PoolRounds {
  readonly #deps: PoolDeps;
  readonly #keeper: Keeper;
  readonly #setbacks: Setbacks;
  /** Disks that were removed once. */
  readonly #gone = new Set<string>();
  readonly #removing = new Set<string>();
  /** Disks whose failed removal was logged. */
  readonly #logged = new Set<string>();
  /** The number of ready sandboxes as of the last round. */
  ready = 0;

  constructor(deps: PoolDeps, keeper: Keeper) {
    this.#deps = deps;
    this.#keeper = keeper;
    this.#setbacks = new Setbacks(deps.log);
  }

  /** Removes surplus disks. Returns the shares that are too small, the most wanted first. */
  async look(): Promise<Share[]> {
    const { db, warm, size, defaultShape } = this.#deps;
    const { place } = this.#keeper;
    const [disks, shapes] = await Promise.all([readPool(db, place), lastShapes(db, place)]);
    const serving = new Set((await warm.untaken()).filter(({ serves }) => serves).map(({ disk }) => disk));
    const ready = disks.filter(({ name, state }) => state === "ready" && serving.has(name));
    const has = Map.groupBy(ready, ({ key }) => key);
    const counts = new Map([...has].map(([key, of]) => [key, of.length]));
    const shares = poolShares(
      shapes.length === 0 ? [defaultShape] : shapes,
      size,
      (shape) => warm.keyOf(shape),
      counts,
    );
    const kept = new Set(shares.flatMap(({ key, count }) => (has.get(key) ?? []).slice(0, count)));
    this.ready = kept.size;
    for (const disk of disks) if (!kept.has(disk)) await this.#leave(disk);
    return shares.filter(({ key, count }) => count > (counts.get(key) ?? 0));
  }

  /** Makes one of the missing sandboxes, unless that failed a moment ago. Returns whether it made one. */
  async fill(missing: readonly Share[]): Promise<boolean> {
    const { db, warm, log } = this.#deps;
    const next = missing.find(({ key }) => this.#setbacks.mayTry(key));
    if (next === undefined) return false;
    const disk = await addDisk(db, this.#keeper, next.key);
    if (disk === null) return false;
    try {
      await warm.make(disk, next.shape);
    } catch (error) {
      this.#setbacks.failed(next.key, error);
      await this.#leave({ ...disk, key: next.key, state: "making", age: 0 });
      return false;
    }
    this.#setbacks.succeeded(next.key);
    if (!(await markReady(db, disk.name))) return false;
    log.info({ disk: disk.name }, "a sandbox of the pool is ready");
    return true;
  }

  /**
   * Removes a disk. Each keeper of the pool repeats that until it succeeds. A removal that takes long, for
   * example on a lost node, continues in the background.
   */
  async #leave({ name, state, age }: PoolDisk): Promise<void> {
    if (this.#removing.has(name)) return;
    if (state !== "leaving" && !(await markLeaving(this.#deps.db, name))) return;
    const isOld = age > FORGOTTEN_SECONDS && state === "leaving";
    if (this.#gone.has(name) && !isOld) return;
    this.#removing.add(name);
    const removed = this.#remove(name, isOld).finally(() => this.#removing.delete(name));
    await Promise.race([removed, delay(REMOVAL_MS, undefined, { ref: false })]);
  }

  async #remove(name: string, isOld: boolean): Promise<void> {
    const { db, disks, log } = this.#deps;
    try {
      await (await disks.takeAway(name))?.();
      this.#logged.delete(name);
      this.#gone.add(name);
      if (!isOld) return;
      await forgetDisk(db, name);
      this.#gone.delete(name);
    } catch (error) {
      if (!this.#logged.has(name))
        log.warn(
          { err: error, disk: name },
          "a disk of the pool could not be removed; the removal will be retried",
        );
      this.#logged.add(name);
    }
  }
}
