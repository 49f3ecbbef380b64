const ROOT = 0;
/** More needles end at one place only when somebody chose secrets that are ends of one another. */
const MAX_AT_ONE_PLACE = 8;

/**
 * Finds any of many needles in bytes that are read once, one after another (Aho-Corasick). A node stands for a beginning of a needle,
 * and its depth is how long that is; the root is 0. Most nodes have one child, which is the next node, so that they take few bytes.
 */
export class ByteAutomaton {
  /** How many bytes lead to a node. */
  readonly depth: Uint32Array;
  /** The byte that leads to a node from its parent. */
  readonly #byte: Uint8Array;
  /** 1 where the parent of a node is the node before. */
  readonly #follows: Uint8Array;
  readonly #fromRoot = new Int32Array(256);
  /** Children that are not the next node, by parent and byte. */
  readonly #branches = new Map<number, number>();
  /** The node of the longest proper suffix. */
  readonly #fallback: Int32Array;
  /** Index of the needle that ends at a node, plus 1. */
  readonly #needle: Int32Array;
  /** The node itself or its nearest fallback where a needle ends; the root when there is none. */
  readonly #nearestEnd: Int32Array;
  #size = 1;

  /** @param needles different ones, of at least one byte each. */
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

  /** Of memory, in bytes, about. */
  get size(): number {
    return this.depth.length * 20 + this.#branches.size * 40;
  }

  /** The node for the longest suffix of what was read that begins a needle. */
  next(node: number, byte: number): number {
    for (let from = node; ; from = this.#fallback[from] ?? ROOT) {
      const child = this.#child(from, byte);
      if (child !== 0 || from === ROOT) return child;
    }
  }

  /** The first index from `at` on of a byte with which a needle begins; the length when there is none. */
  firstBegin(bytes: Buffer, at: number): number {
    let index = at;
    while (index < bytes.length && this.#fromRoot[bytes[index] ?? 0] === 0) index += 1;
    return index;
  }

  isEnd(node: number): boolean {
    return this.#nearestEnd[node] !== ROOT;
  }

  /** The needles that end at a node, the longest first: eight at most. */
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

  /** Returns the node of the whole needle. */
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

  /** Level by level: the fallback of a child is found from that of its parent, which lies higher. */
  #link(parents: Int32Array): void {
    for (const node of this.#byDepth()) {
      const parent = parents[node] ?? ROOT;
      const fallback =
        parent === ROOT ? ROOT : this.next(this.#fallback[parent] ?? ROOT, this.#byte[node] ?? 0);
      this.#fallback[node] = fallback;
      this.#nearestEnd[node] = this.#needle[node] === 0 ? (this.#nearestEnd[fallback] ?? ROOT) : node;
    }
  }

  /** All nodes but the root, in time that grows with their number alone. */
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

  /** Where the nodes of each depth begin once they are in order. */
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
