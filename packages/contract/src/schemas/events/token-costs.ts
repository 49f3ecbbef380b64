import { z } from "zod";
import { modelUsage } from "./session-events.ts";

export const cachedInputShare = z.number().min(0).max(1).nullable().meta({
  description:
    "Which part of all input tokens was read from the provider's cache, from 0 to 1, to the ten-thousandth: `cache_read_input_tokens` of all three kinds of input. Null without input.",
});

export const compactionSavings = z
  .strictObject({
    count: z.int().meta({ description: "Compactions: how often a summary took the place of the context." }),
    avoided_input_tokens: z.int().meta({
      description:
        "Input tokens that later requests did not read again: for each answered request after a compaction, by how many tokens that compaction made the context smaller, by estimate. A request counts for the newest compaction only.",
    }),
    rewritten_input_tokens: z.int().meta({
      description:
        "Tokens of the contexts that the compactions left, by estimate, which the request after each has to write to the cache.",
    }),
    summary_usage: modelUsage.meta({
      description: "Tokens of the requests that wrote the summaries. They are a part of the session's usage.",
    }),
    saved_input_tokens: z.int().nullable().meta({
      description:
        "The avoided tokens at the list price of a cache read, less the price of the summaries and of writing what was rewritten rather than reading it, in input tokens at the full price that cost the same. An estimate on the low side, since tokens that no cache has cost more; it does not say what the agent had to read again. Negative: the compactions have not yet paid. Null when the model's price is not known, or nothing.",
    }),
    saved_list_cost_usd: z.number().nullable().meta({
      description:
        "The same in US dollars by today's list prices, to the millionth. Null when they are not known.",
    }),
  })
  .meta({ id: "CompactionSavings" });
export type CompactionSavings = z.output<typeof compactionSavings>;
