import type { OverRate, Rate, RateGroups, Rates } from "./rates.ts";
import { RecentNames } from "./recent-names.ts";

interface Bucket {
  tokens: number;
  /** Milliseconds of the clock at which the bucket had `tokens`. */
  at: number;
}

const MAX_BUCKETS = 10_000;

/** Token buckets of this process. Each holds `burst` requests and is refilled at `perSecond`. */
export class RequestRates implements Rates {
  readonly #now: () => number;
  readonly #exempt = new RecentNames();
  readonly #buckets = new Map<string, Bucket>();

  /** @param now Returns milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  take<R extends Rate>(rates: readonly R[], name?: string): OverRate<R> | null {
    if (name !== undefined && this.#exempt.has(name)) return null;
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

  exempt(name: string): void {
    this.#exempt.add(name);
  }

  #bucketOf({ id, perSecond, burst }: Rate, now: number): Bucket {
    const known = this.#buckets.get(id);
    const grown = known && known.tokens + ((now - known.at) / 1_000) * perSecond;
    const bucket = { tokens: Math.min(burst, grown ?? burst), at: now };
    // Keep the buckets in the order of use. The oldest may be evicted, since an unused bucket is full again.
    this.#buckets.delete(id);
    this.#buckets.set(id, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_BUCKETS && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}

/**
 * Returns the rates of a process that is the only one.
 * @param now See `RequestRates`.
 */
export function ownRates(now?: () => number): RateGroups {
  return { owners: new RequestRates(now), addresses: new RequestRates(now), codes: new RequestRates(now) };
}
