import { setTimeout as delay } from "node:timers/promises";
import { Signal } from "@berth/concurrency";
import type { ShapedSpec } from "@berth/sandbox";
import type { WarmWish } from "../disks/disk-store.ts";
import { isDraining } from "../lease/host-store.ts";
import { type PoolParts, PoolRounds } from "./keep-pool.ts";
import { giveUpDisk, hasPool, holdPool, type Keeper, leavePool, leaveUnused } from "./pool-store.ts";

export interface WarmPoolParts extends PoolParts {
  /** Where the disks are. */
  place: string;
  /** The installation's id. */
  hostId: string;
  /** Names this runner, and no other one. */
  owner: string;
  /** Milliseconds between two looks at the pool; default 5,000. */
  roundMs?: number;
}

const ROUND_MS = 5_000;
/** Where there is to be no pool. */
const RARE_ROUND_MS = 60_000;
/** A runner that died keeps others from the pool for so many rounds. */
const HELD_ROUNDS = 4;
/** So many pass without a pool after a session found no room. */
const CROWDED_ROUNDS = 2;
const UNUSED_MS = 60_000;
const CLOSE_MS = 5_000;

/**
 * The pool of sandboxes that no session has yet. Every runner takes from it; one of a place keeps it as large as the settings say.
 *
 * Lifecycle: from its construction it works on its own, until `close`. A failure is logged, and the next round tries again.
 */
export class WarmPool {
  readonly #parts: WarmPoolParts;
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
  constructor(parts: WarmPoolParts) {
    this.#parts = parts;
    this.#keeper = { place: parts.place, keeper: parts.owner };
    this.#rounds = new PoolRounds(parts, this.#keeper);
    this.#roundMs = parts.roundMs ?? ROUND_MS;
    this.#beat = setInterval(() => void this.#holdOn().catch(() => {}), this.#roundMs).unref();
    this.#running = this.#run();
  }

  /** What a session's new disk may take; null: a sandbox of its spec is made for it alone. */
  wish(spec: ShapedSpec): WarmWish | null {
    if (this.#parts.size === 0) return null;
    const { warm } = this.#parts;
    const shape = warm.shapeOf(spec);
    const key = shape && warm.keyOf(shape);
    return shape === null || key === null ? null : { key, shape };
  }

  /**
   * Opens a sandbox for a session, before which none is made for the pool.
   *
   * @param open may call `makeRoom` meanwhile, and tells whether it waits for something that the pool does not take from it.
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

  /** Removes one for a session that finds no room, and lets no runner make another meanwhile. Never rejects. */
  async makeRoom(): Promise<void> {
    const { db, disks, log, place, size } = this.#parts;
    if (size === 0) return;
    try {
      const disk = await giveUpDisk(db, place, this.#roundMs * CROWDED_ROUNDS);
      if (disk === null) return;
      log.info({ disk }, "a sandbox of the pool makes room for a session");
      await Promise.race([disks.takeAway(disk), delay(CLOSE_MS, undefined, { ref: false })]);
    } catch (error) {
      log.warn({ err: error }, "the pool of sandboxes could not make room");
    }
  }

  /** How many sandboxes can be taken, while this runner keeps the pool. */
  get ready(): number {
    return this.#isKeeping ? this.#rounds.ready : 0;
  }

  /** What is there stays for the other runners, and the next start. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#beat);
    this.#news.set();
    // One that is half made is the next keeper's to remove.
    await Promise.race([this.#running, delay(CLOSE_MS, undefined, { ref: false })]);
    if (this.#isKeeping) await leavePool(this.#parts.db, this.#keeper);
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      this.#news.reset();
      const mayHaveMore = await this.#round().catch((error: unknown) => {
        if (!this.#isClosing) this.#parts.log.warn({ err: error }, "the pool of sandboxes could not be kept");
        return false;
      });
      if (mayHaveMore || this.#isClosing) continue;
      await this.#news.waitFor(this.#parts.size === 0 ? RARE_ROUND_MS : this.#roundMs);
    }
  }

  /** Returns whether to go on at once. */
  async #round(): Promise<boolean> {
    const { db, size, place, hostId } = this.#parts;
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
    // What sessions wait for comes first.
    if (missing.length === 0 || this.#opening > 0 || this.#isClosing) return false;
    return await this.#rounds.fill(missing);
  }

  /** Also while a sandbox is being made, which may take long. */
  async #holdOn(): Promise<void> {
    if (this.#isKeeping) this.#isKeeping = await this.#hold();
  }

  #hold(): Promise<boolean> {
    return holdPool(this.#parts.db, this.#keeper, this.#roundMs * HELD_ROUNDS);
  }
}
