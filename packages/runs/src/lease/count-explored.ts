import { type Draft, parentCallOf } from "@berth/agent";
import { usageOf } from "@berth/store/session-log";

/**
 * SQL: the assignments by which an append counts the tokens of the loops of Explore calls, with
 * `exploredValues` as $23 to $26.
 */
export const COUNT_EXPLORED = `
  explore_input_tokens = explore_input_tokens + $23,
  explore_output_tokens = explore_output_tokens + $24,
  explore_cache_read_input_tokens = explore_cache_read_input_tokens + $25,
  explore_cache_creation_input_tokens = explore_cache_creation_input_tokens + $26`;

/** Returns input, output, cache read and cache creation tokens, which the session's totals include. */
export function exploredValues(drafts: readonly Draft[]): number[] {
  const nested = drafts.map(({ event }) => event).filter((event) => parentCallOf(event) !== null);
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
    usageOf(nested);
  return [input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens];
}
