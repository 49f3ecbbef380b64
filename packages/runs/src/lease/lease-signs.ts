/**
 * Signals between the main thread and the thread that renews its leases. They are in shared memory, so each
 * is visible while either thread is busy.
 */
export class LeaseSigns {
  readonly memory: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  /** @param memory the memory of the other thread. Default: new memory. */
  constructor(memory = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#cells = new BigInt64Array(memory);
  }

  /** Signals that the main thread is alive. */
  beat(): void {
    Atomics.add(this.#cells, BEATS, 1n);
  }

  beats(): bigint {
    return Atomics.load(this.#cells, BEATS);
  }

  /** Records that the database confirmed the leases. `askedAt` is when that was requested (`monotonicMs`). */
  confirm(askedAt: number): void {
    Atomics.store(this.#cells, CONFIRMED, BigInt(Math.floor(askedAt)));
  }

  confirmedAt(): number {
    return Number(Atomics.load(this.#cells, CONFIRMED));
  }
}

const BEATS = 0;
const CONFIRMED = 1;

/** Returns milliseconds of a monotonic clock that all threads of the process share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
