import { createHash } from "node:crypto";

/**
 * A part of a request that a provider caches as a whole: a tool, a block of the system prompt, or a block of
 * a message.
 */
export interface Block {
  part: "tool" | "system" | "message";
  text: string;
  tokens: number;
  /** The cache breakpoint; null without one. */
  marker: "5m" | "1h" | null;
}

/** The provider's charge for the input of one request, in tokens. */
export interface Charge {
  read: number;
  written5m: number;
  written1h: number;
  uncached: number;
}

/** Returns input tokens weighted to the price of an uncached one. */
export function weighted({ read, written5m, written1h, uncached }: Charge): number {
  return 0.1 * read + 1.25 * written5m + 2 * written1h + uncached;
}

/** Returns, for each block, a digest of all blocks up to it. */
export function prefixDigests(blocks: readonly Block[]): string[] {
  const hash = createHash("sha1");
  return blocks.map(({ part, text }) => hash.update(`${part}${text.length}:${text}`).copy().digest("base64"));
}

/** Returns, for each block, the tokens of all blocks up to it. */
export function prefixTokens(blocks: readonly Block[]): number[] {
  let sum = 0;
  return blocks.map(({ tokens }) => (sum += tokens));
}
