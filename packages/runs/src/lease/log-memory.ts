/** A log in memory that can be evicted. */
export interface KeptLog {
  /** The approximate size in bytes, which may grow. */
  bytes(): number;
  evict(): void;
}

const MAX_BYTES = 128 * 1024 ** 2;

/** Limits the memory of the logs of all held sessions. Evicts the least recently used first. */
export class LogMemory {
  readonly #maxBytes: number;
  /** Logs, least recently used first. */
  readonly #kept = new Set<KeptLog>();

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Marks the log as used. While the total is too large, evicts others first, and then this one. */
  keep(log: KeptLog): void {
    this.#kept.delete(log);
    this.#kept.add(log);
    let bytes = 0;
    for (const kept of this.#kept) bytes += kept.bytes();
    for (const oldest of this.#kept) {
      if (bytes <= this.#maxBytes) return;
      bytes -= oldest.bytes();
      this.#kept.delete(oldest);
      oldest.evict();
    }
  }

  forget(log: KeptLog): void {
    this.#kept.delete(log);
  }
}

const BYTES_PER_OBJECT = 64;

/** Returns the approximate size of a JSON value in memory, in bytes. */
export function bytesInMemory(value: unknown): number {
  if (typeof value === "string") return BYTES_PER_OBJECT + value.length;
  if (typeof value !== "object" || value === null) return 8;
  return Object.values(value).reduce<number>((sum, each) => sum + bytesInMemory(each), BYTES_PER_OBJECT);
}
