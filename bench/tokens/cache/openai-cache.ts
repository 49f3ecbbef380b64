import { type Block, type Charge, prefixDigests, prefixTokens } from "./prompt.ts";

const MIN_TOKENS = 1_024;
const STEP_TOKENS = 128;
const LIFETIME_MS = 300_000;

/**
 * OpenAI's prompt cache: the longest common prefix with an earlier request, in steps of 128 tokens. Writes
 * are free.
 */
export class OpenAiCache {
  /** The expiry time of each prefix. */
  readonly #entries = new Map<string, number>();

  /** Returns the charge for a request, and updates the cache. @param now in milliseconds. */
  charge(blocks: readonly Block[], now: number): Charge {
    const digests = prefixDigests(blocks);
    const tokens = prefixTokens(blocks);
    const hit = digests.findLastIndex((digest) => (this.#entries.get(digest) ?? 0) > now);
    for (const digest of digests) this.#entries.set(digest, now + LIFETIME_MS);
    const common = tokens[hit] ?? 0;
    const read = common < MIN_TOKENS ? 0 : common - (common % STEP_TOKENS);
    return { read, written5m: 0, written1h: 0, uncached: (tokens.at(-1) ?? 0) - read };
  }
}
