import { z } from "zod";
import { pageOf, pageQuery } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

export const model = z
  .strictObject({
    id: z.string().meta({ description: "`provider/model`, as an agent's `model` names it." }),
    type: z.literal("model"),
    provider: z.string(),
    effective_context_window: z.int().meta({ description: "Tokens of input and output together." }),
    max_output_tokens: z.int(),
  })
  .meta({ id: "Model" });
export type Model = z.output<typeof model>;

export const modelRoutes = {
  /** In the order of the registry. A provider may reach models beside those that are listed. There are no anchors by id. */
  list: defineRoute(operations.models.list, {
    query: z.strictObject(pageQuery),
    response: pageOf(model),
  }),
};
