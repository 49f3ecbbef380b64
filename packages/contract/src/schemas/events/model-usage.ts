import { z } from "zod";

/** Tokens of a request to a model, or of all of a session. */
export const modelUsage = z
  .strictObject({
    input_tokens: z.int().meta({ description: "Without those that were read from or written to the cache." }),
    output_tokens: z.int(),
    cache_read_input_tokens: z.int(),
    cache_creation_input_tokens: z.int(),
  })
  .meta({ id: "ModelUsage" });
export type ModelUsage = z.output<typeof modelUsage>;
