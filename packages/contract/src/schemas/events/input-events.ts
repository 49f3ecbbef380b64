import { z } from "zod";
import { betaVariant } from "../../conventions/beta.ts";
import { idOf, taggedUnion } from "../../conventions/fields.ts";
import { IMAGE_TYPES } from "./media-type.ts";
import { givenContent, givenText, sourceFault } from "./message-content.ts";

/** What clients answer to the calls of a session that wait for them. */
export const CALL_REPLY_TYPES = ["user.tool_confirmation", "user.custom_tool_result"] as const;

export const confirmation = {
  tool_use_id: idOf("event").meta({
    description: "The `agent.tool_use` or `agent.mcp_tool_use` that waits.",
  }),
  result: z.enum(["allow", "deny"]),
  deny_message: z
    .string()
    .max(10_000)
    .optional()
    .meta({ description: "Told to the model; with `deny` only." }),
};

export const toolConfirmation = z
  .strictObject({ type: z.literal("user.tool_confirmation"), ...confirmation })
  .superRefine(({ result, deny_message }, context) => {
    if (result === "deny" || deny_message === undefined) return;
    const message = "Field '{field}' goes with the result 'deny' only.";
    context.addIssue({ code: "custom", path: ["deny_message"], message });
  });

const givenImage = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({
    type: z.literal("base64"),
    media_type: z.enum(IMAGE_TYPES),
    data: z.string().min(1),
  }),
});

export const customToolResult = z.strictObject({
  type: z.literal("user.custom_tool_result"),
  custom_tool_use_id: idOf("event").meta({ description: "The `agent.custom_tool_use` that waits." }),
  content: z
    .array(taggedUnion("type", [givenText, givenImage]))
    .max(100)
    .superRefine((blocks, context) => {
      for (const [index, block] of blocks.entries()) {
        const fault = block.type === "image" ? sourceFault(block) : null;
        if (fault === null) continue;
        context.addIssue({ code: "custom", path: [index, "source", "data"], message: fault });
      }
    })
    .default([]),
  is_error: z.boolean().default(false),
});

const userMessage = z.strictObject({ type: z.literal("user.message"), content: givenContent });
const userInterrupt = z.strictObject({ type: z.literal("user.interrupt") });
const systemMessage = z.strictObject({
  type: z.literal("system.message"),
  content: z.array(givenText).min(1),
});

const later = ["user.define_outcome"];

/** An event that a client may send. */
export const inputEvent = betaVariant(
  "outcomes",
  "type",
  "user.define_outcome",
  taggedUnion("type", [userMessage, userInterrupt, toolConfirmation, customToolResult, systemMessage], later),
);
export type InputEvent = z.output<typeof inputEvent>;

/** What is sent at once: all or none. */
export const inputEvents = z.array(inputEvent).max(50).superRefine(systemMessageLast);

/** What a session begins with: nothing waits for an answer yet. */
export const initialEvents = z
  .array(taggedUnion("type", [userMessage, userInterrupt, systemMessage], [...CALL_REPLY_TYPES, ...later]))
  .max(50)
  .superRefine(systemMessageLast);

/** A `system.message` is for what stands before it, so that it comes last. */
function systemMessageLast(events: readonly InputEvent[], context: z.RefinementCtx): void {
  const place = events.findIndex((event) => event.type === "system.message");
  if (place === -1 || place === events.length - 1) return;
  const message = "A 'system.message' may be there once, as the last of the events.";
  context.addIssue({ code: "custom", path: [place, "type"], message });
}
