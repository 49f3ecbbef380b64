import type { Queryable } from "../db/statement.ts";
import { type FoundToken, findToken } from "./token-store.ts";

/**
 * Milliseconds within which every process applies a revocation, an expiry, a disabled principal or a changed
 * role.
 */
const MAX_AGE_MS = 50;
const MAX_TOKENS = 10_000;

interface Lookup {
  /** Time of the query, in milliseconds of the clock. The result is at least this recent. */
  askedAt: number;
  found: Promise<FoundToken | null>;
}

/**
 * A cache of the tokens that were looked up in the last 50 ms. A busy token thus costs 20 queries a second
 * instead of one per request. The age alone bounds how long a change goes unnoticed. No notification is
 * involved, so no lost connection can extend it.
 */
export class RecentTokens {
  readonly #db: Queryable;
  readonly #now: () => number;
  readonly #lookups = new Map<string, Lookup>();

  /** @param now Returns milliseconds of a monotonic clock. */
  constructor(db: Queryable, now: () => number = () => performance.now()) {
    this.#db = db;
    this.#now = now;
  }

  /**
   * Finds a token as `findToken` does. Of the callers that share a lookup, only the first can get `stale:
   * true`. Invalid tokens are not cached.
   */
  async find(hash: Buffer): Promise<FoundToken | null> {
    const key = hash.toString("base64");
    const askedAt = this.#now();
    const recent = this.#lookups.get(key);
    if (recent !== undefined && askedAt - recent.askedAt < MAX_AGE_MS) {
      const found = await recent.found;
      return found === null ? null : { ...found, stale: false };
    }
    const lookup: Lookup = { askedAt, found: findToken(this.#db, hash) };
    this.#keep(key, lookup);
    const found = await lookup.found.catch((error: unknown) => {
      this.#drop(key, lookup);
      throw error;
    });
    if (found === null || found.revoked || found.expired || found.disabled) this.#drop(key, lookup);
    return found;
  }

  /** Drops all cached tokens. Call it once this process has committed a change of tokens. */
  clear(): void {
    this.#lookups.clear();
  }

  #keep(key: string, lookup: Lookup): void {
    this.#lookups.delete(key);
    this.#lookups.set(key, lookup);
    const [oldest] = this.#lookups.keys();
    if (this.#lookups.size > MAX_TOKENS && oldest !== undefined) this.#lookups.delete(oldest);
  }

  #drop(key: string, lookup: Lookup): void {
    if (this.#lookups.get(key) === lookup) this.#lookups.delete(key);
  }
}
