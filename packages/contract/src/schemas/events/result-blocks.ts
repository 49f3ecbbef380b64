import { z } from "zod";
import { textBlock } from "./message-content.ts";

const imageBlock = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
});

/** A block of what a call brought. */
export const resultBlock = z.discriminatedUnion("type", [textBlock, imageBlock]);
export type ResultBlock = z.output<typeof resultBlock>;
