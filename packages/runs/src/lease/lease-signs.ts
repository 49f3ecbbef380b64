/**
 * What the thread that works and the thread that renews its leases know of each other at any moment, also while either is busy: memory that
 * both share.
 */
export class LeaseSigns {
  readonly memory: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  /** @param memory of the other thread. Default: new. */
  constructor(memory = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#cells = new BigInt64Array(memory);
  }

  /** The thread that works is alive. */
  beat(): void {
    Atomics.add(this.#cells, BEATS, 1n);
  }

  beats(): bigint {
    return Atomics.load(this.#cells, BEATS);
  }

  /** The database has confirmed the leases in a renewal that was asked for then, by `monotonicMs`. */
  confirm(askedAt: number): void {
    Atomics.store(this.#cells, CONFIRMED, BigInt(Math.floor(askedAt)));
  }

  confirmedAt(): number {
    return Number(Atomics.load(this.#cells, CONFIRMED));
  }
}

const BEATS = 0;
const CONFIRMED = 1;

/** Milliseconds by a clock that all threads of the process share, and that nobody sets. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
