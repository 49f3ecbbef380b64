import { orAborted, type Release, type Share, type SharedSlots } from "@berth/concurrency";

export interface SlotOptions {
  /** Whose turn it is. */
  share: Share;
  /** What the turn's sandbox needs only waits for a while. */
  onlyWaits(): boolean;
  /** Called each time when the slot is given back. */
  onGivenBack(): void;
}

/**
 * One of the slots that limit how many turns run at once. A turn that only waits gives it back, and goes on when it is its turn
 * again. A turn that was aborted ends without one.
 */
export class TurnSlot {
  readonly #turns: SharedSlots;
  readonly #options: SlotOptions;
  #release: Release | undefined;
  #taking: Promise<void> | undefined;
  #awaiting = 0;
  #isOver = false;

  static async take(turns: SharedSlots, options: SlotOptions): Promise<TurnSlot> {
    return new TurnSlot(turns, options, await turns.acquire(options.share));
  }

  private constructor(turns: SharedSlots, options: SlotOptions, release: Release) {
    this.#turns = turns;
    this.#options = options;
    this.#release = release;
  }

  isHeld(): boolean {
    return this.#release !== undefined;
  }

  /** The turn does nothing until `wait` ends. */
  async lend<T>(wait: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#giveBack();
    try {
      return await wait();
    } finally {
      await this.#takeBack(signal);
    }
  }

  /** The turn, or one of its calls, does nothing until its sandbox is there. */
  async awaitSandbox<T>(sandbox: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#awaiting += 1;
    this.look();
    try {
      return await sandbox();
    } finally {
      this.#awaiting -= 1;
      await this.#takeBack(signal);
    }
  }

  /** To be called when `onlyWaits` may have become true. */
  look(): void {
    if (this.#awaiting > 0 && this.#options.onlyWaits()) this.#giveBack();
  }

  /** The turn is over. */
  end(): void {
    this.#isOver = true;
    this.#giveBack();
  }

  #giveBack(): void {
    if (this.#release === undefined) return;
    this.#release();
    this.#release = undefined;
    this.#options.onGivenBack();
  }

  async #takeBack(signal: AbortSignal): Promise<void> {
    if (this.#release !== undefined) return;
    this.#taking ??= this.#take();
    await orAborted(this.#taking, signal).catch(() => undefined);
  }

  async #take(): Promise<void> {
    const release = await this.#turns.acquire(this.#options.share);
    this.#taking = undefined;
    if (this.#isOver) release();
    else this.#release = release;
  }
}
