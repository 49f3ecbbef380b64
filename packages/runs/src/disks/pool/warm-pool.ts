import { setTimeout as delay } from "node:timers/promises";
import { Signal } from "@berth/concurrency";
import type { ShapedSpec } from "@berth/sandbox";
import { isDraining } from "../../lease/host-store.ts";
import type { WarmWish } from "../disk-store.ts";
import { type PoolDeps, PoolRounds } from "./keep-pool.ts";
import { giveUpDisk, hasPool, holdPool, type Keeper, leavePool, leaveUnused } from "./pool-store.ts";

export interface WarmPoolDeps extends PoolDeps {
  /** The place of the disks. */
  place: string;
  /** The installation's id. */
  hostId: string;
  /** The unique name of this runner. */
  owner: string;
  /** Milliseconds between two rounds; default 5,000. */
  roundMs?: number;
}

const ROUND_MS = 5_000;
/** Milliseconds between two rounds when the pool is to be empty. */
const RARE_ROUND_MS = 60_000;
/** Rounds for which a runner that died keeps others from the pool. */
const HELD_ROUNDS = 4;
/** Rounds without a keeper of the pool after a session found no room. */
const CROWDED_ROUNDS = 2;
const UNUSED_MS = 60_000;
const CLOSE_MS = 5_000;

/**
 * The pool of sandboxes that no session has yet. Every runner takes from it; one runner of a place keeps it
 * at the size of the settings.
 *
 * Lifecycle: it works on its own from its construction until `close`. The round after a failure tries again.
 */
export class WarmPool {
  readonly #deps: WarmPoolDeps;
  readonly #keeper: Keeper;
  readonly #rounds: PoolRounds;
  readonly #news = new Signal();
  readonly #running: Promise<void>;
  readonly #beat: NodeJS.Timeout;
  readonly #roundMs: number;
  #opening = 0;
  #isKeeping = false;
  #isClosing = false;
  #lookedForUnused = Number.NEGATIVE_INFINITY;

  /** Starts at once. */
  constructor(deps: WarmPoolDeps) {
    this.#deps = deps;
    this.#keeper = { place: deps.place, keeper: deps.owner };
    this.#rounds = new PoolRounds(deps, this.#keeper);
    this.#roundMs = deps.roundMs ?? ROUND_MS;
    this.#beat = setInterval(() => void this.#holdOn().catch(() => {}), this.#roundMs).unref();
    this.#running = this.#run();
  }

  /** Returns the disk of the pool that a session may take; null if it needs a sandbox of its own. */
  wish(spec: ShapedSpec): WarmWish | null {
    if (this.#deps.size === 0) return null;
    const { warm } = this.#deps;
    const shape = warm.shapeOf(spec);
    const key = shape && warm.keyOf(shape);
    return shape === null || key === null ? null : { key, shape };
  }

  /**
   * Opens a sandbox for a session. Until it is open no sandbox is made for the pool.
   *
   * @param open may call `makeRoom`, and reports whether it waits for something that the pool does not use.
   */
  async before<T>(open: (rests: (isResting: boolean) => void) => Promise<T>): Promise<T> {
    let isFirst = true;
    this.#opening += 1;
    const rests = (isResting: boolean) => {
      if (isResting !== isFirst) return;
      isFirst = !isResting;
      this.#opening += isFirst ? 1 : -1;
      if (isResting) this.#news.set();
    };
    try {
      return await open(rests);
    } finally {
      rests(true);
      this.#news.set();
    }
  }

  /** Removes a sandbox for a session that finds no room. For a while none is made. Never rejects. */
  async makeRoom(): Promise<void> {
    const { db, disks, log, place, size } = this.#deps;
    if (size === 0) return;
    try {
      const disk = await giveUpDisk(db, place, this.#roundMs * CROWDED_ROUNDS);
      if (disk === null) return;
      log.info({ disk }, "a sandbox of the pool is closed to make room for a session");
      await Promise.race([disks.takeAway(disk), delay(CLOSE_MS, undefined, { ref: false })]);
    } catch (error) {
      log.warn({ err: error }, "the pool of sandboxes could not make room");
    }
  }

  /** The number of sandboxes that can be taken, while this runner keeps the pool; else 0. */
  get ready(): number {
    return this.#isKeeping ? this.#rounds.ready : 0;
  }

  /** Stops keeping the pool. Its sandboxes stay for other runners and the next start. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#beat);
    this.#news.set();
    // The next keeper removes a sandbox that is half made.
    await Promise.race([this.#running, delay(CLOSE_MS, undefined, { ref: false })]);
    if (this.#isKeeping) await leavePool(this.#deps.db, this.#keeper);
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      this.#news.reset();
      const mayHaveMore = await this.#round().catch((error: unknown) => {
        if (!this.#isClosing)
          this.#deps.log.warn({ err: error }, "the pool of sandboxes could not be filled");
        return false;
      });
      if (mayHaveMore || this.#isClosing) continue;
      await this.#news.waitFor(this.#deps.size === 0 ? RARE_ROUND_MS : this.#roundMs);
    }
  }

  /** Runs one round. Returns whether to start the next one at once. */
  async #round(): Promise<boolean> {
    const { db, size, place, hostId } = this.#deps;
    if (size === 0 && !(await hasPool(db, place))) return false;
    if (await isDraining(db, hostId)) {
      if (this.#isKeeping) await leavePool(db, this.#keeper);
      this.#isKeeping = false;
      return false;
    }
    this.#isKeeping = await this.#hold();
    if (!this.#isKeeping) return false;
    if (performance.now() - this.#lookedForUnused > UNUSED_MS) {
      await leaveUnused(db, place);
      this.#lookedForUnused = performance.now();
    }
    const missing = await this.#rounds.look();
    // Sandboxes for which sessions wait come first.
    if (missing.length === 0 || this.#opening > 0 || this.#isClosing) return false;
    return await this.#rounds.fill(missing);
  }

  /** Renews the hold on the pool, also while a sandbox is being made, which may take long. */
  async #holdOn(): Promise<void> {
    if (this.#isKeeping) this.#isKeeping = await this.#hold();
  }

  #hold(): Promise<boolean> {
    return holdPool(this.#deps.db, this.#keeper, this.#roundMs * HELD_ROUNDS);
  }
}
