import { type Draft, parentCallOf } from "@berth/agent";
import type { NewEvent } from "@berth/contract";
import { usageOf } from "@berth/store/session-log";

/**
 * SQL: the assignments by which an append counts the effect of compactions, with `compactionValues` as $15 to
 * $22. A successful request counts for the newest compaction before it. The statement that stores its end
 * counts it, so it counts once, whoever continues the session.
 */
export const COUNT_COMPACTIONS = `
  compaction_avoided_tokens = compaction_avoided_tokens + $15::bigint * compaction_removed_tokens,
  compactions = compactions + $16::integer,
  compaction_removed_tokens = coalesce($17::bigint, compaction_removed_tokens),
  compaction_left_tokens = compaction_left_tokens + $18::bigint,
  summary_input_tokens = summary_input_tokens + $19::bigint,
  summary_output_tokens = summary_output_tokens + $20::bigint,
  summary_cache_read_input_tokens = summary_cache_read_input_tokens + $21::bigint,
  summary_cache_creation_input_tokens = summary_cache_creation_input_tokens + $22::bigint`;

/**
 * Returns the values for the agent's own events, without those of its calls' loops:
 *
 * - successful requests that wrote no summary
 * - compactions
 * - tokens that the newest of them removed, null without one
 * - tokens that they left
 * - tokens of the summaries' requests; a summary is appended with the end of its request
 */
export function compactionValues(drafts: readonly Draft[]): (number | null)[] {
  const events = drafts.map(({ event }) => event).filter((event) => parentCallOf(event) === null);
  const compactions = events.filter((event) => event.type === "agent.context_compacted");
  const newest = compactions.at(-1);
  if (newest === undefined) return [events.filter(isAnswered).length, 0, null, 0, 0, 0, 0, 0];
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
    usageOf(events);
  return [
    0,
    compactions.length,
    Math.max(0, newest.input_tokens_before - newest.input_tokens_after),
    compactions.reduce((sum, event) => sum + event.input_tokens_after, 0),
    ...[input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens],
  ];
}

function isAnswered(event: NewEvent): boolean {
  return event.type === "span.model_request_end" && !event.is_error;
}
