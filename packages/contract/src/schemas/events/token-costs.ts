import { z } from "zod";
import { modelUsage } from "./session-events.ts";

export const cachedInputShare = z.number().min(0).max(1).nullable().meta({
  description:
    "Share of all input tokens that was read from the provider's cache, from 0 to 1, to the ten-thousandth: `cache_read_input_tokens` divided by all three kinds of input. Null without input.",
});

export const compactionSavings = z
  .strictObject({
    count: z
      .int()
      .meta({ description: "Number of compactions, each of which replaced the context by a summary." }),
    avoided_input_tokens: z.int().meta({
      description:
        "Input tokens that later requests did not read again: for each answered request after a compaction, the estimated number of tokens by which that compaction shortened the context. A request counts for the newest compaction only.",
    }),
    rewritten_input_tokens: z.int().meta({
      description:
        "Estimated tokens of the contexts after the compactions, which the request after each writes to the cache.",
    }),
    summary_usage: modelUsage.meta({
      description: "Tokens of the requests that wrote the summaries. They are a part of the session's usage.",
    }),
    saved_input_tokens: z.int().nullable().meta({
      description:
        "The savings of the compactions, in input tokens at the full price: the avoided tokens at the list price of a cache read, minus the price of the summaries and the extra price of writing the new contexts rather than reading them. An estimate on the low side, since uncached tokens cost more; it does not count what the agent had to read again. Negative: the compactions have not yet paid off. Null when the model's price is unknown or zero.",
    }),
    saved_list_cost_usd: z.number().nullable().meta({
      description:
        "The same in US dollars at today's list prices, to the millionth. Null when they are unknown.",
    }),
  })
  .meta({ id: "CompactionSavings" });
export type CompactionSavings = z.output<typeof compactionSavings>;
