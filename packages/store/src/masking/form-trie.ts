import { EdgeTable } from "./edge-table.ts";
import { type LongForms, longForms } from "./long-forms.ts";
import type { SecretForm } from "./secret-forms.ts";

/** Maximum depth of the trie, which has the beginning of a longer form; `SecretScan` compares the rest. */
export const MAX_DEPTH = 256;

const ROOT = 0;
const ASCII = 128;

/** The forms that end at a node or continue after it. */
export interface Ending {
  depth: number;
  /** Allowed numbers of blanks within the form; null for any number, empty when no form ends here. */
  blanks: readonly number[] | null;
  /** Longer forms that begin with the node's units. Only at the maximum depth. */
  longer: readonly LongForms[];
}

/**
 * The beginnings of all forms in one Aho-Corasick automaton. A text is searched for all of them in one pass,
 * in time that depends on the text alone. A node is a number; the root is 0.
 */
export class FormTrie {
  /** Number of units that lead to each node. */
  readonly depth: Uint16Array;
  /** Number of units of the longest form. */
  readonly longest: number;
  readonly #edges: EdgeTable;
  readonly #parent: Int32Array;
  readonly #unit: Uint16Array;
  /** The node of the longest proper suffix. */
  readonly #fallback: Int32Array;
  readonly #endings: ReadonlyMap<number, Ending>;
  /** The node itself or the nearest fallback that has an ending; the root when there is none. */
  readonly #nearestEnd: Int32Array;
  /** Children of the root by unit, since most steps of a search are at the root. */
  readonly #fromRoot = new Int32Array(ASCII);
  #size = 1;

  constructor(forms: readonly SecretForm[]) {
    this.longest = forms.reduce((longest, { units }) => Math.max(longest, units.length), 0);
    const capacity = forms.reduce((sum, { units }) => sum + Math.min(units.length, MAX_DEPTH), 1);
    this.depth = new Uint16Array(capacity);
    this.#edges = new EdgeTable(capacity);
    this.#parent = new Int32Array(capacity);
    this.#unit = new Uint16Array(capacity);
    this.#fallback = new Int32Array(capacity);
    this.#nearestEnd = new Int32Array(capacity);
    const ended = Map.groupBy(forms, ({ units }) => this.#insert(units));
    this.#endings = new Map([...ended].map(([node, forms]) => [node, this.#endingOf(node, forms)]));
    this.#link();
  }

  /** Returns the node for the longest suffix of what was read that begins a form. */
  next(node: number, unit: number): number {
    for (let from = node; ; from = this.fallback(from)) {
      const child = this.#child(from, unit);
      if (child !== 0 || from === ROOT) return child;
    }
  }

  /** Returns the node for the longest proper suffix of a node's units. */
  fallback(node: number): number {
    return this.#fallback[node] ?? ROOT;
  }

  isEnd(node: number): boolean {
    return this.#nearestEnd[node] !== ROOT;
  }

  /** Yields the endings of the node and of its suffixes, the longest first. */
  *endings(node: number): Generator<Ending> {
    for (let end = this.#nearestEnd[node] ?? ROOT; end !== ROOT; ) {
      const ending = this.#endings.get(end);
      if (ending !== undefined) yield ending;
      end = this.#nearestEnd[this.fallback(end)] ?? ROOT;
    }
  }

  #child(node: number, unit: number): number {
    if (node === ROOT && unit < ASCII) return this.#fromRoot[unit] ?? 0;
    return this.#edges.find(node, unit);
  }

  /** Inserts a form's beginning and returns its node. */
  #insert(units: Uint16Array): number {
    let node = ROOT;
    for (const unit of units.subarray(0, MAX_DEPTH))
      node = this.#child(node, unit) || this.#addChild(node, unit);
    return node;
  }

  #addChild(parent: number, unit: number): number {
    const child = this.#size++;
    this.#parent[child] = parent;
    this.#unit[child] = unit;
    this.depth[child] = (this.depth[parent] ?? 0) + 1;
    if (parent === ROOT && unit < ASCII) this.#fromRoot[unit] = child;
    else this.#edges.add(parent, unit, child);
    return child;
  }

  #endingOf(node: number, forms: readonly SecretForm[]): Ending {
    const depth = this.depth[node] ?? 0;
    const [whole, longer] = [
      forms.filter(({ units }) => units.length === depth),
      forms.filter(({ units }) => units.length > depth),
    ];
    const blanks = whole.flatMap((form) => form.blanks ?? []);
    return { depth, blanks: blanks.length < whole.length ? null : blanks, longer: longForms(longer) };
  }

  /**
   * Sets fallbacks level by level, since a child's fallback is derived from that of its parent, which lies
   * higher.
   */
  #link(): void {
    for (const node of this.#byDepth()) {
      const parent = this.#parent[node] ?? ROOT;
      const fallback = parent === ROOT ? ROOT : this.next(this.fallback(parent), this.#unit[node] ?? 0);
      this.#fallback[node] = fallback;
      this.#nearestEnd[node] = this.#endings.has(node) ? node : (this.#nearestEnd[fallback] ?? ROOT);
    }
  }

  /** Returns all nodes except the root by depth, in time linear in their number. */
  #byDepth(): number[] {
    const levels: number[][] = Array.from({ length: MAX_DEPTH + 1 }, () => []);
    for (let node = 1; node < this.#size; node++) levels[this.depth[node] ?? 0]?.push(node);
    return levels.flat();
  }
}
