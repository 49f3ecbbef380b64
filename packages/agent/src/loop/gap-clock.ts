/**
 * The parts of the time between a response and the request that has its results, in order. If a part begins
 * before an earlier one ends, only its time after that end counts.
 *
 * - `append_response`: until the response is in the log; nothing when the append of the results has it.
 * - `calls`: until the last call has its result: round trips to the sandbox, and the commands themselves.
 * - `append_results`: until the last results are in the log, with the start of the request.
 * - `fold`: until the log is folded and the files that it refers to are loaded.
 * - `build`: until the request is handed to the network.
 */
const GAP_PARTS = ["append_response", "calls", "append_results", "fold", "build"] as const;

/** Milliseconds of each part. */
export type GapParts = Record<(typeof GAP_PARTS)[number], number>;

/** Measures the gaps of one turn, in consecutive parts. */
export class GapClock {
  readonly #onGap: (parts: GapParts) => void;
  #ends: number[] = [];

  constructor(onGap: (parts: GapParts) => void = () => {}) {
    this.#onGap = onGap;
  }

  /** Starts a gap when a response is complete. */
  begin(): void {
    this.#ends = [performance.now()];
  }

  /** Ends a part. Ignored when called out of order or without a gap. */
  end(part: keyof GapParts): void {
    if (this.#ends.length !== GAP_PARTS.indexOf(part) + 1) return;
    this.#ends.push(performance.now());
    if (this.#ends.length <= GAP_PARTS.length) return;
    const parts = GAP_PARTS.map((name, index) => [name, this.#since(index)]);
    this.giveUp();
    this.#onGap(Object.fromEntries(parts) as GapParts);
  }

  /** Ends a part with the part before it, since it takes no time of its own. */
  skip(part: keyof GapParts): void {
    if (this.#ends.length === GAP_PARTS.indexOf(part) + 1) this.#ends.push(this.#ends.at(-1) ?? 0);
  }

  /** Discards the gap, because no request follows directly: the turn ends, or waits. */
  giveUp(): void {
    this.#ends = [];
  }

  #since(index: number): number {
    return (this.#ends[index + 1] ?? 0) - (this.#ends[index] ?? 0);
  }
}
