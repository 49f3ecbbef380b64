import { orAborted, type Release, type Share, type SharedSlots } from "@berth/concurrency";

export interface SlotOptions {
  /** The owner of the turn. */
  share: Share;
  /** Returns whether all work for the turn's sandbox only waits. */
  onlyWaits(): boolean;
  /** Called each time when the slot is given back. */
  onGivenBack(): void;
}

/**
 * One of the slots that limit how many turns run at once. A turn that only waits gives its slot back, and
 * acquires one again before it continues. A turn that was aborted ends without one.
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

  /** Gives the slot back until `wait` ends. */
  async lend<T>(wait: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#giveBack();
    try {
      return await wait();
    } finally {
      await this.#takeBack(signal);
    }
  }

  /** Waits for the sandbox, for the turn or a call. Gives the slot back while its sandbox only waits. */
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

  /** Gives the slot back if possible. Called when `onlyWaits` may have become true. */
  look(): void {
    if (this.#awaiting > 0 && this.#options.onlyWaits()) this.#giveBack();
  }

  /** Ends the turn and releases its slot. */
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
