import type { SecretForm } from "./secret-forms.ts";

/** Of a longer form, the trie has the beginning; `SecretScan` compares the rest. */
export const MAX_DEPTH = 256;

const NONE = 0;
const ROOT = 0;
const ASCII = 128;

/**
 * The beginnings of all forms in one Aho-Corasick automaton: a text is searched for all of them in one pass, in time that
 * depends on the text alone. A node is a number; the root is 0.
 */
export class FormTrie {
  /** How many units lead to a node. */
  readonly depth: Uint16Array;
  readonly #forms: readonly SecretForm[];
  readonly #unit: Uint16Array;
  readonly #firstChild: Int32Array;
  readonly #sibling: Int32Array;
  /** The node of the longest proper suffix. */
  readonly #fallback: Int32Array;
  /** Index of the form that ends at a node, plus 1. */
  readonly #ending: Int32Array;
  /** The node itself or the nearest fallback where a form ends. */
  readonly #nearestEnd: Int32Array;
  /** Children of the root by unit, since most steps of a search are at the root. */
  readonly #fromRoot = new Int32Array(ASCII);
  #size = 1;

  constructor(forms: readonly SecretForm[]) {
    const capacity = forms.reduce((sum, { units }) => sum + Math.min(units.length, MAX_DEPTH), 1);
    this.#forms = forms;
    this.depth = new Uint16Array(capacity);
    this.#unit = new Uint16Array(capacity);
    this.#firstChild = new Int32Array(capacity);
    this.#sibling = new Int32Array(capacity);
    this.#fallback = new Int32Array(capacity);
    this.#ending = new Int32Array(capacity);
    this.#nearestEnd = new Int32Array(capacity);
    for (const index of forms.keys()) this.#insert(index);
    this.#link();
  }

  /** The node for the longest suffix of what was read that begins a form. */
  next(node: number, unit: number): number {
    for (let from = node; ; from = this.#fallback[from] ?? ROOT) {
      const child = this.#child(from, unit);
      if (child !== NONE || from === ROOT) return child;
    }
  }

  /** The nodes at which the forms end that end here, the longest first. */
  *ends(node: number): Generator<{ depth: number; form: SecretForm }> {
    for (let end = this.#nearestEnd[node] ?? NONE; end !== NONE; ) {
      const form = this.#forms[(this.#ending[end] ?? 0) - 1];
      if (form !== undefined) yield { depth: this.depth[end] ?? 0, form };
      end = this.#nearestEnd[this.#fallback[end] ?? ROOT] ?? NONE;
    }
  }

  isEnd(node: number): boolean {
    return this.#nearestEnd[node] !== NONE;
  }

  #child(node: number, unit: number): number {
    if (node === ROOT && unit < ASCII) return this.#fromRoot[unit] ?? NONE;
    let child = this.#firstChild[node] ?? NONE;
    while (child !== NONE && this.#unit[child] !== unit) child = this.#sibling[child] ?? NONE;
    return child;
  }

  #insert(index: number): void {
    let node = ROOT;
    const { units, blanks } = this.#forms[index] as SecretForm;
    for (const unit of units.subarray(0, MAX_DEPTH)) {
      const known = this.#child(node, unit);
      node = known === NONE ? this.#addChild(node, unit) : known;
    }
    // Of two equal forms, the one that is found between blanks, too.
    if (this.#ending[node] === 0 || blanks === null) this.#ending[node] = index + 1;
  }

  #addChild(parent: number, unit: number): number {
    const child = this.#size++;
    this.#unit[child] = unit;
    this.depth[child] = (this.depth[parent] ?? 0) + 1;
    this.#sibling[child] = this.#firstChild[parent] ?? NONE;
    this.#firstChild[parent] = child;
    if (parent === ROOT && unit < ASCII) this.#fromRoot[unit] = child;
    return child;
  }

  /** Level by level: the fallback of a child is found from that of its parent, which lies higher. */
  #link(): void {
    const queue = this.#children(ROOT);
    for (const node of queue) {
      const fallback = this.#fallback[node] ?? ROOT;
      this.#nearestEnd[node] = this.#ending[node] === 0 ? (this.#nearestEnd[fallback] ?? NONE) : node;
      for (const child of this.#children(node)) {
        this.#fallback[child] = this.next(fallback, this.#unit[child] ?? 0);
        queue.push(child);
      }
    }
  }

  #children(node: number): number[] {
    const children: number[] = [];
    for (let child = this.#firstChild[node] ?? NONE; child !== NONE; child = this.#sibling[child] ?? NONE)
      children.push(child);
    return children;
  }
}
