import { FOLDED, isBlank, SKIPPED } from "./folding.ts";
import { type FormTrie, MAX_DEPTH } from "./form-trie.ts";
import type { FoundRanges } from "./found-ranges.ts";
import { Candidates } from "./long-forms.ts";

/** A found beginning of a form that is longer than the trie is deep. */
interface Continued {
  candidates: Candidates;
  start: number;
}

/** Size of the buffers of positions. It is a power of two, so that a bit mask wraps a counter. */
const KEPT = MAX_DEPTH * 2;
/**
 * Maximum number of long forms that are followed at a time. More occur only when somebody chose secrets whose
 * beginnings are rotations of one another.
 */
const MAX_CONTINUED = 16;
/** Maximum number of characters for one unit of a form, as in `\u0041`. */
const MAX_WRITTEN = 6;
/** Maximum number of foreign characters within a secret: line ends, blanks, colours, marks of quotations. */
const MAX_BETWEEN = 8 * 1024;

/**
 * Searches characters, in the order of a text, for the forms of a trie. Its memory does not grow with the
 * text. Its results do not depend on where the text is cut into pieces.
 */
export class SecretScan {
  readonly #trie: FormTrie;
  readonly #found: FoundRanges;
  /** Positions of the last characters that belong to a beginning, and the number of blanks before each. */
  readonly #starts = new Float64Array(KEPT);
  readonly #blanksBefore = new Float64Array(KEPT);
  #node = 0;
  #count = 0;
  #blanks = 0;
  #continued: readonly Continued[] = [];

  constructor(trie: FormTrie, found: FoundRanges) {
    this.#trie = trie;
    this.#found = found;
  }

  /** Adds the next character, which lies between `start` and `end` of the text. */
  readonly add = (character: number, start: number, end: number): void => {
    const unit = FOLDED[character] ?? SKIPPED;
    if (unit === SKIPPED) {
      if (isBlank(character)) this.#blanks += 1;
      return;
    }
    if (!this.isIdle()) this.forget(start);
    if (this.#continued.length > 0) this.#continue(unit, end);
    this.#node = this.#trie.next(this.#node, unit);
    if (this.#node === 0) return;
    this.#starts[this.#count & (KEPT - 1)] = start;
    this.#blanksBefore[this.#count & (KEPT - 1)] = this.#blanks;
    this.#count += 1;
    if (this.#trie.isEnd(this.#node)) this.#end(end);
  };

  /** Returns whether no secret has begun. */
  isIdle(): boolean {
    return this.#node === 0 && this.#continued.length === 0;
  }

  /** Ends the text. */
  reset(): void {
    this.#node = 0;
    this.#continued = [];
  }

  /** Gives up forms that began before a position with too much other text in between. */
  forget(place: number): void {
    while (this.#node !== 0 && isTooFar(this.#startOf(this.#depth), place, this.#depth))
      this.#node = this.#trie.fallback(this.#node);
    if (this.#continued.length > 0)
      this.#continued = this.#continued.filter(
        ({ candidates, start }) => !isTooFar(start, place, candidates.found),
      );
  }

  /** Returns where the first form starts that may continue at `place`, or infinity when there is none. */
  openFrom(place: number): number {
    this.forget(place);
    const inTrie = this.#node === 0 ? Number.POSITIVE_INFINITY : this.#startOf(this.#depth);
    return Math.min(inTrie, ...this.#continued.map(({ start }) => start));
  }

  /**
   * Continues from the state of another scan of the same text. Returns the cost of the copy, in characters.
   */
  copyFrom(other: SecretScan): number {
    this.#node = other.#node;
    this.#count = other.#count;
    this.#blanks = other.#blanks;
    this.#continued = other.#continued.map(copyOf);
    for (let index = this.#count - this.#depth; index < this.#count; index++) {
      this.#starts[index & (KEPT - 1)] = other.#starts[index & (KEPT - 1)] ?? 0;
      this.#blanksBefore[index & (KEPT - 1)] = other.#blanksBefore[index & (KEPT - 1)] ?? 0;
    }
    return this.#depth + this.#continued.length;
  }

  /**
   * Returns whether both scans will find the same from here on. Two readings that began a form at the same
   * position have read the same since.
   */
  equals(other: SecretScan): boolean {
    if (this.#node !== other.#node || this.#continued.length + other.#continued.length > 0) return false;
    if (this.#node === 0) return true;
    const depth = this.#depth;
    return (
      this.#startOf(depth) === other.#startOf(depth) && this.#blanksSince(depth) === other.#blanksSince(depth)
    );
  }

  get #depth(): number {
    return this.#trie.depth[this.#node] ?? 0;
  }

  #startOf(depth: number): number {
    return this.#starts[(this.#count - depth) & (KEPT - 1)] ?? 0;
  }

  #blanksSince(depth: number): number {
    return this.#blanks - (this.#blanksBefore[(this.#count - depth) & (KEPT - 1)] ?? 0);
  }

  /** Adds the longest of the forms that end here, since the others lie within it. */
  #end(end: number): void {
    for (const { depth, blanks, longer } of this.#trie.endings(this.#node)) {
      const start = this.#startOf(depth);
      for (const forms of longer) this.#follow({ candidates: new Candidates(forms, depth), start });
      const isFound = blanks === null || blanks.includes(this.#blanksSince(depth));
      if (!isFound && longer.every(({ wholly }) => wholly)) continue;
      this.#found.add(start, end);
      return;
    }
  }

  #follow(continued: Continued): void {
    const { of } = continued.candidates;
    if (this.#continued.length >= MAX_CONTINUED) return;
    if (this.#continued.some(({ candidates }) => candidates.of === of)) return;
    this.#continued = [...this.#continued, continued];
  }

  #continue(unit: number, end: number): void {
    this.#continued = this.#continued.filter(({ candidates, start }) => {
      const isFound = candidates.narrow(unit);
      if (isFound || (!candidates.isEmpty() && !candidates.of.wholly)) this.#found.add(start, end);
      return !candidates.isEmpty();
    });
  }
}

/** Returns the maximum number of characters that the given number of a secret's units takes. */
export function maxWritten(units: number): number {
  return MAX_BETWEEN + MAX_WRITTEN * units;
}

function isTooFar(start: number, place: number, units: number): boolean {
  return place - start > maxWritten(units);
}

function copyOf({ candidates, start }: Continued): Continued {
  return { candidates: candidates.copy(), start };
}
