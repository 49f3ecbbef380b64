/** The position of a secret in a text. `end` is exclusive. */
export interface Range {
  start: number;
  end: number;
}

/**
 * Ranges of a text in order, with overlapping ones merged. Adding a range near the last one takes constant
 * time.
 */
export class FoundRanges {
  readonly #ranges: Range[] = [];

  add(start: number, end: number): void {
    const range = { start, end };
    let index = this.#ranges.length;
    while (index > 0 && (this.#ranges[index - 1] as Range).start >= end) index -= 1;
    let first = index;
    for (; first > 0; first -= 1) {
      const before = this.#ranges[first - 1] as Range;
      if (before.end <= start) break;
      range.start = Math.min(range.start, before.start);
      range.end = Math.max(range.end, before.end);
    }
    this.#ranges.splice(first, index - first, range);
  }

  /** Removes and returns the ranges that begin before a position. */
  takeBefore(place: number): Range[] {
    const count = this.#ranges.findIndex(({ start }) => start >= place);
    return this.#ranges.splice(0, count < 0 ? this.#ranges.length : count);
  }
}
