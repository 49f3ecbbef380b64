/** What one log in memory takes, and how it is evicted. */
export interface KeptLog {
  /** About; may grow. */
  bytes(): number;
  evict(): void;
}

const MAX_BYTES = 128 * 1024 ** 2;

/** Limits what the logs of all held sessions take in memory together. The one whose last turn is longest ago is evicted first. */
export class LogMemory {
  readonly #maxBytes: number;
  /** Oldest use first. */
  readonly #kept = new Set<KeptLog>();

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** To be called at each use. Evicts others while there is too much, and this one if it alone is too much. */
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

/** About what a value of JSON takes in memory. */
export function bytesInMemory(value: unknown): number {
  if (typeof value === "string") return BYTES_PER_OBJECT + value.length;
  if (typeof value !== "object" || value === null) return 8;
  return Object.values(value).reduce<number>((sum, each) => sum + bytesInMemory(each), BYTES_PER_OBJECT);
}
