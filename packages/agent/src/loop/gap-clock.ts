/**
 * The parts of the time from a response to the request that has its results, in order. What begins beside an earlier part counts only for
 * what is left of it then.
 *
 * - `append_response`: until the response is in the log.
 * - `calls`: until the last call has its result: round trips to the sandbox, and the commands themselves.
 * - `append_results`: until the last results are in the log, with the start of the request.
 * - `fold`: until the history is that of the log, with the files that it refers to.
 * - `build`: until the request is handed to the network.
 */
const GAP_PARTS = ["append_response", "calls", "append_results", "fold", "build"] as const;

/** Milliseconds. */
export type GapParts = Record<(typeof GAP_PARTS)[number], number>;

/** Measures the gaps of one turn, by parts that follow each other. */
export class GapClock {
  readonly #onGap: (parts: GapParts) => void;
  #ends: number[] = [];

  constructor(onGap: (parts: GapParts) => void = () => {}) {
    this.#onGap = onGap;
  }

  /** A response is complete. */
  begin(): void {
    this.#ends = [performance.now()];
  }

  /** A part has ended. Told out of order, or after a gap that was not begun, it counts for nothing. */
  end(part: keyof GapParts): void {
    if (this.#ends.length !== GAP_PARTS.indexOf(part) + 1) return;
    this.#ends.push(performance.now());
    if (this.#ends.length <= GAP_PARTS.length) return;
    const parts = GAP_PARTS.map((name, index) => [name, this.#since(index)]);
    this.giveUp();
    this.#onGap(Object.fromEntries(parts) as GapParts);
  }

  /** No request follows at once: the turn ends, or waits. */
  giveUp(): void {
    this.#ends = [];
  }

  #since(index: number): number {
    return (this.#ends[index + 1] ?? 0) - (this.#ends[index] ?? 0);
  }
}
