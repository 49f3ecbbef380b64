import { type Block, type Charge, prefixDigests, prefixTokens } from "./prompt.ts";

const MAX_MARKERS = 4;
/** The number of positions at which each marker looks for an entry, including its own. */
const LOOKBACK = 20;
const MIN_TOKENS = 1_024;
const LIFETIME_MS = { "5m": 300_000, "1h": 3_600_000 };

interface Entry {
  lifetime: keyof typeof LIFETIME_MS;
  until: number;
}

/**
 * The prompt cache of Anthropic's API for one model and organization. Entries are written only at markers,
 * and each marker looks for an entry at its block and the 19 before it. A read extends an entry's lifetime.
 */
export class AnthropicCache {
  readonly #entries = new Map<string, Entry>();

  /**
   * Returns the charge for a request, and updates the cache.
   *
   * @param now in milliseconds.
   * @throws for a request that the API rejects.
   */
  charge(blocks: readonly Block[], now: number): Charge {
    const marked = blocks.flatMap(({ marker }, index) => (marker === null ? [] : [{ index, marker }]));
    refuse(marked);
    const digests = prefixDigests(blocks);
    const tokens = prefixTokens(blocks);
    const upTo = (index: number) => tokens[index] ?? 0;
    const hit = Math.max(-1, ...marked.map(({ index }) => this.#newestHit(digests, index, now)));
    const writable = marked.filter(({ index }) => upTo(index) >= MIN_TOKENS);
    const last = (lifetimes: readonly string[]) =>
      Math.max(hit, ...writable.filter(({ marker }) => lifetimes.includes(marker)).map(({ index }) => index));
    const longLived = last(["1h"]);
    const end = last(["5m", "1h"]);
    this.#keep(digests[hit], this.#entries.get(digests[hit] ?? "")?.lifetime ?? "5m", now);
    for (const { index, marker } of writable) this.#keep(digests[index], marker, now);
    return {
      read: upTo(hit),
      written1h: upTo(longLived) - upTo(hit),
      written5m: upTo(end) - upTo(longLived),
      uncached: (tokens.at(-1) ?? 0) - upTo(end),
    };
  }

  /** Returns the last block with a live entry, as seen from a marker; -1 if there is none. */
  #newestHit(digests: readonly string[], marker: number, now: number): number {
    for (let index = marker; index >= 0 && index > marker - LOOKBACK; index--) {
      const entry = this.#entries.get(digests[index] ?? "");
      if (entry !== undefined && entry.until > now) return index;
    }
    return -1;
  }

  /** Extends an entry's lifetime, but never shortens it. */
  #keep(digest: string | undefined, lifetime: Entry["lifetime"], now: number): void {
    if (digest === undefined) return;
    const until = now + LIFETIME_MS[lifetime];
    if ((this.#entries.get(digest)?.until ?? 0) < until) this.#entries.set(digest, { lifetime, until });
  }
}

function refuse(marked: readonly { marker: "5m" | "1h" }[]): void {
  if (marked.length > MAX_MARKERS)
    throw new Error(
      `A maximum of ${MAX_MARKERS} blocks with cache_control may be provided. Found ${marked.length}.`,
    );
  const short = marked.findIndex(({ marker }) => marker === "5m");
  if (short >= 0 && marked.slice(short).some(({ marker }) => marker === "1h"))
    throw new Error("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.");
}
