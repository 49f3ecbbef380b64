/** A ring buffer with the newest bytes of a stream. Positions count from the start of the stream. */
export class RecentBytes {
  readonly #capacity: number;
  #ring = Buffer.alloc(0);
  #total = 0;

  /** @param capacity in bytes. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The position after the last byte. */
  get end(): number {
    return this.#total;
  }

  /** The position of the oldest byte that is kept. */
  get oldest(): number {
    return Math.max(0, this.#total - this.#capacity);
  }

  add(bytes: Uint8Array): void {
    if (this.#ring.length === 0) this.#ring = Buffer.allocUnsafe(this.#capacity);
    const kept = bytes.subarray(Math.max(0, bytes.length - this.#capacity));
    this.#total += bytes.length - kept.length;
    const at = this.#total % this.#capacity;
    const first = kept.subarray(0, this.#capacity - at);
    this.#ring.set(first, at);
    this.#ring.set(kept.subarray(first.length), 0);
    this.#total += kept.length;
  }

  /** Returns a copy of the bytes between two positions, all of which must be kept. */
  read(from: number, to: number): Buffer {
    if (from >= to) return Buffer.alloc(0);
    const at = from % this.#capacity;
    const length = to - from;
    const first = this.#ring.subarray(at, Math.min(at + length, this.#capacity));
    return Buffer.concat([first, this.#ring.subarray(0, length - first.length)]);
  }
}
