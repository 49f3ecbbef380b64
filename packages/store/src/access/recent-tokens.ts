import type { Queryable } from "../db/statement.ts";
import { type FoundToken, findToken } from "./token-store.ts";

/** Within this time a revocation, a disabled principal, an expiry or a change of role counts, in every process. */
const MAX_AGE_MS = 50;
const MAX_TOKENS = 10_000;

interface Lookup {
  /** When the database was asked: what it said is at least as recent. */
  askedAt: number;
  found: Promise<FoundToken | null>;
}

/**
 * The tokens that were looked up in the last 50 ms, so that a busy token costs 20 queries a second and not one for each request. The time
 * bounds how long a change goes unnoticed without anybody having to tell of it, so no lost connection can extend it.
 */
export class RecentTokens {
  readonly #db: Queryable;
  readonly #now: () => number;
  readonly #lookups = new Map<string, Lookup>();

  /** @param now milliseconds of a clock that only goes forward. */
  constructor(db: Queryable, now: () => number = () => performance.now()) {
    this.#db = db;
    this.#now = now;
  }

  /** As `findToken`. `stale` is true for one of those that share a lookup. What is not valid is not kept. */
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

  /** Asks the database again for all. To be called once this process has committed a change of tokens. */
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
