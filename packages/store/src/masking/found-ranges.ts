/** Where a secret is in a text: from the first of its characters to behind the last. */
export interface Range {
  start: number;
  end: number;
}

/** Ranges of a text in its order, those that overlap as one. Adding one near the last takes constant time. */
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

  /** Removes and returns those that begin before a place. */
  takeBefore(place: number): Range[] {
    const count = this.#ranges.findIndex(({ start }) => start >= place);
    return this.#ranges.splice(0, count < 0 ? this.#ranges.length : count);
  }
}
