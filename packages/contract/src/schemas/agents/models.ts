import { z } from "zod";
import { pageOf, pageQuery } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

export const model = z
  .strictObject({
    id: z.string().meta({ description: "`provider/model`, the value of an agent's `model`." }),
    type: z.literal("model"),
    provider: z.string(),
    effective_context_window: z.int().meta({ description: "Input and output together, in tokens." }),
    max_output_tokens: z.int(),
    default: z.boolean().meta({ description: "An agent that is created without a `model` gets this one." }),
    price: z
      .strictObject({
        input: z.number().meta({ description: "Uncached input." }),
        output: z.number(),
        cache_read: z.number(),
        cache_write: z.number(),
        date: z.iso.date().meta({ description: "The day on which the price was looked up." }),
      })
      .nullable()
      .meta({
        description:
          "The list price in US dollars for a million tokens, for short prompts where long ones cost more; null if it is not known.",
      }),
  })
  .meta({ id: "Model" });
export type Model = z.output<typeof model>;

export const modelRoutes = {
  /** Lists models in the order of the registry. A provider may also serve models that are not listed. */
  list: defineRoute(operations.models.list, {
    query: z.strictObject(pageQuery),
    response: pageOf(model),
  }),
};
