/** A rate that a request counts against. */
export interface Rate {
  /** Of the subject. */
  id: string;
  perSecond: number;
  /** How many may come at once. */
  burst: number;
}

interface Bucket {
  tokens: number;
  /** When it had so many, in milliseconds. */
  at: number;
}

const MAX_BUCKETS = 10_000;

/** Token buckets of this process: each holds `burst` requests, and gets `perSecond` of them back. */
export class RequestRates {
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param now milliseconds of a clock that only goes forward. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a request against all rates, or against none: then it returns the rate that is over and the wait in milliseconds. */
  take<R extends Rate>(rates: readonly R[]): { rate: R; waitMs: number } | null {
    const now = this.#now();
    const buckets = rates.map((rate) => this.#bucketOf(rate, now));
    for (const [index, rate] of rates.entries()) {
      const { tokens } = buckets[index] as Bucket;
      if (tokens >= 1) continue;
      return { rate, waitMs: rate.perSecond === 0 ? Infinity : ((1 - tokens) / rate.perSecond) * 1_000 };
    }
    for (const bucket of buckets) bucket.tokens -= 1;
    return null;
  }

  #bucketOf({ id, perSecond, burst }: Rate, now: number): Bucket {
    const known = this.#buckets.get(id);
    const grown = known && known.tokens + ((now - known.at) / 1_000) * perSecond;
    const bucket = { tokens: Math.min(burst, grown ?? burst), at: now };
    // The subject that asked last is the last one; one that has not asked for long has a full bucket, and may be forgotten.
    this.#buckets.delete(id);
    this.#buckets.set(id, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_BUCKETS && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}
