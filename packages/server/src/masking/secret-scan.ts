import { FOLDED, isBlank, SKIPPED } from "./folding.ts";
import { type FormTrie, MAX_DEPTH } from "./form-trie.ts";
import type { SecretForm } from "./secret-forms.ts";

/** Where a secret is in a text: from the first of its characters to behind the last. */
export interface Range {
  start: number;
  end: number;
}

/** A form longer than the trie is deep, whose beginning was found. */
interface Continued {
  form: SecretForm;
  /** The next unit of the form. */
  next: number;
  range: Range;
}

/** A power of two, so that a mask wraps a counter. */
const KEPT = MAX_DEPTH * 2;

/** Searches characters, in the order of a text, for the forms of a trie. Its memory does not grow with the text. */
export class SecretScan {
  readonly #trie: FormTrie;
  readonly #found: Range[];
  /** Of the last characters that are part of a beginning: where they are, and how many blanks came before. */
  readonly #starts = new Float64Array(KEPT);
  readonly #blanksBefore = new Float64Array(KEPT);
  #node = 0;
  #count = 0;
  #blanks = 0;
  #continued: Continued[] = [];

  constructor(trie: FormTrie, found: Range[]) {
    this.#trie = trie;
    this.#found = found;
  }

  /** Takes the next character, which lies between `start` and `end` of the text. */
  add(character: number, start: number, end: number): void {
    const unit = FOLDED[character] ?? SKIPPED;
    if (unit === SKIPPED) {
      if (isBlank(character)) this.#blanks += 1;
      return;
    }
    if (this.#continued.length > 0) this.#continue(unit, end);
    this.#node = this.#trie.next(this.#node, unit);
    if (this.#node === 0) return;
    this.#starts[this.#count & (KEPT - 1)] = start;
    this.#blanksBefore[this.#count & (KEPT - 1)] = this.#blanks;
    this.#count += 1;
    if (this.#trie.isEnd(this.#node)) this.#end(end);
  }

  /** Where the first beginning starts that may go on after what was added; infinite when there is none. */
  openFrom(): number {
    const depth = this.#trie.depth[this.#node] ?? 0;
    const inTrie = depth === 0 ? Number.POSITIVE_INFINITY : this.#startOf(depth);
    return Math.min(inTrie, ...this.#continued.map(({ range }) => range.start));
  }

  #startOf(depth: number): number {
    return this.#starts[(this.#count - depth) & (KEPT - 1)] ?? 0;
  }

  #end(end: number): void {
    for (const { depth, form } of this.#trie.ends(this.#node)) {
      const blanks = this.#blanks - (this.#blanksBefore[(this.#count - depth) & (KEPT - 1)] ?? 0);
      if (form.blanks !== null && form.blanks !== blanks) continue;
      const range = { start: this.#startOf(depth), end };
      this.#found.push(range);
      const isLonger = form.units.length > depth && !this.#continued.some((one) => one.form === form);
      if (isLonger) this.#continued.push({ form, next: depth, range });
    }
  }

  #continue(unit: number, end: number): void {
    this.#continued = this.#continued.filter((continued) => {
      const { form, next, range } = continued;
      if (form.units[next] !== unit) return false;
      range.end = end;
      continued.next += 1;
      return continued.next < form.units.length;
    });
  }
}
