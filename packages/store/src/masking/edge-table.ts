import { randomInt } from "node:crypto";

/** Random factors per process, so that nobody can choose secrets whose edges all fall on one slot. */
const [NODE_FACTOR, UNIT_FACTOR] = [oddNumber(), oddNumber()];

/**
 * The edges of a trie, from a node by a unit to a child, in one hash table. A lookup takes the same time at
 * every node.
 */
export class EdgeTable {
  readonly #mask: number;
  readonly #node: Int32Array;
  readonly #unit: Uint16Array;
  /** Children by slot; 0 marks a free slot, since the root is nobody's child. */
  readonly #child: Int32Array;

  /** @param count Maximum number of edges. */
  constructor(count: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * count + 2));
    this.#mask = slots - 1;
    this.#node = new Int32Array(slots);
    this.#unit = new Uint16Array(slots);
    this.#child = new Int32Array(slots);
  }

  /** Returns the child, or 0 when there is none. */
  find(node: number, unit: number): number {
    return this.#child[this.#slotOf(node, unit)] ?? 0;
  }

  /** Adds an edge that does not exist yet. */
  add(node: number, unit: number, child: number): void {
    const slot = this.#slotOf(node, unit);
    this.#node[slot] = node;
    this.#unit[slot] = unit;
    this.#child[slot] = child;
  }

  /** Returns the slot of the edge, or the free slot where it belongs. */
  #slotOf(node: number, unit: number): number {
    const hash = Math.imul(node, NODE_FACTOR) + Math.imul(unit + 1, UNIT_FACTOR);
    let slot = (hash ^ (hash >>> 15)) & this.#mask;
    while (this.#child[slot] !== 0 && (this.#node[slot] !== node || this.#unit[slot] !== unit))
      slot = (slot + 1) & this.#mask;
    return slot;
  }
}

function oddNumber(): number {
  return randomInt(2 ** 30, 2 ** 31) | 1;
}
