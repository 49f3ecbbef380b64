const ROOT = 0;
/** Maximum needles reported at one position. More end there only if many secrets are suffixes of another. */
const MAX_AT_ONE_PLACE = 8;

/**
 * Finds any of many needles in bytes that are read once, in order (Aho-Corasick). A node stands for a prefix
 * of a needle, and its depth is the length of that prefix; the root is 0. Most nodes have a single child,
 * stored as the next node, which saves memory.
 */
export class ByteAutomaton {
  /** Length of the prefix that each node stands for. */
  readonly depth: Uint32Array;
  /** The byte that leads to a node from its parent. */
  readonly #byte: Uint8Array;
  /** 1 where a node's parent is the node before it. */
  readonly #follows: Uint8Array;
  readonly #fromRoot = new Int32Array(256);
  /** Children that are not the next node, by parent and byte. */
  readonly #branches = new Map<number, number>();
  /** The node of each node's longest proper suffix. */
  readonly #fallback: Int32Array;
  /** Index of the needle that ends at a node, plus 1; 0 where none ends. */
  readonly #needle: Int32Array;
  /** The node itself or its nearest fallback where a needle ends; the root when there is none. */
  readonly #nearestEnd: Int32Array;
  #size = 1;

  /** @param needles Distinct needles of at least one byte each. */
  constructor(needles: readonly Buffer[]) {
    const capacity = needles.reduce((sum, { length }) => sum + length, 2);
    this.depth = new Uint32Array(capacity);
    this.#byte = new Uint8Array(capacity);
    this.#follows = new Uint8Array(capacity);
    this.#fallback = new Int32Array(capacity);
    this.#needle = new Int32Array(capacity);
    this.#nearestEnd = new Int32Array(capacity);
    const parents = new Int32Array(capacity);
    for (const [index, needle] of needles.entries()) this.#needle[this.#insert(needle, parents)] = index + 1;
    this.#link(parents);
  }

  /** Approximate memory use in bytes. */
  get size(): number {
    return this.depth.length * 20 + this.#branches.size * 40;
  }

  /** Returns the node for the longest suffix of the bytes read so far that is a prefix of a needle. */
  next(node: number, byte: number): number {
    for (let from = node; ; from = this.#fallback[from] ?? ROOT) {
      const child = this.#child(from, byte);
      if (child !== 0 || from === ROOT) return child;
    }
  }

  /** Returns the index, from `at` on, of the first byte that begins a needle, or the length for none. */
  firstBegin(bytes: Buffer, at: number): number {
    let index = at;
    while (index < bytes.length && this.#fromRoot[bytes[index] ?? 0] === 0) index += 1;
    return index;
  }

  isEnd(node: number): boolean {
    return this.#nearestEnd[node] !== ROOT;
  }

  /** Yields the needles that end at a node, longest first, at most eight. */
  *needlesAt(node: number): Generator<{ needle: number; length: number }> {
    let end = this.#nearestEnd[node] ?? ROOT;
    for (let count = 0; end !== ROOT && count < MAX_AT_ONE_PLACE; count++) {
      yield { needle: (this.#needle[end] ?? 0) - 1, length: this.depth[end] ?? 0 };
      end = this.#nearestEnd[this.#fallback[end] ?? ROOT] ?? ROOT;
    }
  }

  #child(node: number, byte: number): number {
    if (node === ROOT) return this.#fromRoot[byte] ?? 0;
    if (this.#follows[node + 1] === 1 && this.#byte[node + 1] === byte) return node + 1;
    return this.#branches.size === 0 ? 0 : (this.#branches.get(node * 256 + byte) ?? 0);
  }

  /** Inserts a needle and returns the node of its last byte. */
  #insert(needle: Buffer, parents: Int32Array): number {
    let node = ROOT;
    for (const byte of needle) node = this.#child(node, byte) || this.#addChild(node, byte, parents);
    return node;
  }

  #addChild(parent: number, byte: number, parents: Int32Array): number {
    const child = this.#size++;
    this.#byte[child] = byte;
    parents[child] = parent;
    this.depth[child] = (this.depth[parent] ?? 0) + 1;
    if (parent === ROOT) this.#fromRoot[byte] = child;
    else if (parent === child - 1) this.#follows[child] = 1;
    else this.#branches.set(parent * 256 + byte, child);
    return child;
  }

  /** Computes the fallbacks level by level, since a child's fallback depends on its parent's. */
  #link(parents: Int32Array): void {
    for (const node of this.#byDepth()) {
      const parent = parents[node] ?? ROOT;
      const fallback =
        parent === ROOT ? ROOT : this.next(this.#fallback[parent] ?? ROOT, this.#byte[node] ?? 0);
      this.#fallback[node] = fallback;
      this.#nearestEnd[node] = this.#needle[node] === 0 ? (this.#nearestEnd[fallback] ?? ROOT) : node;
    }
  }

  /** Returns all nodes but the root, ordered by depth, in linear time. */
  #byDepth(): Int32Array {
    const nodes = new Int32Array(this.#size - 1);
    const next = this.#firstOfEachDepth();
    for (let node = 1; node < this.#size; node++) {
      const depth = this.depth[node] ?? 0;
      nodes[next[depth] ?? 0] = node;
      next[depth] = (next[depth] ?? 0) + 1;
    }
    return nodes;
  }

  /** Returns, for each depth, the index of its first node in that order. */
  #firstOfEachDepth(): Int32Array {
    const first = new Int32Array(this.depth.reduce((most, depth) => Math.max(most, depth), 0) + 2);
    for (let node = 1; node < this.#size; node++) {
      const behind = (this.depth[node] ?? 0) + 1;
      first[behind] = (first[behind] ?? 0) + 1;
    }
    for (let depth = 1; depth < first.length; depth++)
      first[depth] = (first[depth] ?? 0) + (first[depth - 1] ?? 0);
    return first;
  }
}
