import { z } from "zod";
import { betaVariant } from "../../conventions/beta.ts";
import { idOf, taggedUnion } from "../../conventions/fields.ts";
import type { Sender } from "../../conventions/sender.ts";
import { IMAGE_TYPES } from "./media-type.ts";
import { messageContentInput, sourceError, textInput } from "./message-content.ts";

/** Events by which a client replies to a tool call that waits for it. */
export const CALL_REPLY_TYPES = ["user.tool_confirmation", "user.custom_tool_result"] as const;

export const confirmation = {
  tool_use_id: idOf("event").meta({
    description: "The `agent.tool_use` or `agent.mcp_tool_use` that is waiting.",
  }),
  result: z.enum(["allow", "deny"]),
  deny_message: z
    .string()
    .max(10_000)
    .optional()
    .meta({ description: "Shown to the model. Only with `deny`." }),
};

export const toolConfirmation = z
  .strictObject({ type: z.literal("user.tool_confirmation"), ...confirmation })
  .superRefine(({ result, deny_message }, context) => {
    if (result === "deny" || deny_message === undefined) return;
    const message = "Field '{field}' is only allowed with the result 'deny'.";
    context.addIssue({ code: "custom", path: ["deny_message"], message });
  });

const imageInput = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({
    type: z.literal("base64"),
    media_type: z.enum(IMAGE_TYPES),
    data: z.string().min(1),
  }),
});

export const customToolResult = z.strictObject({
  type: z.literal("user.custom_tool_result"),
  custom_tool_use_id: idOf("event").meta({ description: "The `agent.custom_tool_use` that is waiting." }),
  content: z
    .array(taggedUnion("type", [textInput, imageInput]))
    .max(100)
    .superRefine((blocks, context) => {
      for (const [index, block] of blocks.entries()) {
        const error = block.type === "image" ? sourceError(block) : null;
        if (error === null) continue;
        context.addIssue({ code: "custom", path: [index, "source", "data"], message: error });
      }
    })
    .default([]),
  is_error: z.boolean().default(false),
});

const userMessage = z.strictObject({ type: z.literal("user.message"), content: messageContentInput });
const userInterrupt = z.strictObject({ type: z.literal("user.interrupt") });
const systemMessage = z.strictObject({
  type: z.literal("system.message"),
  content: z.array(textInput).min(1),
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

/** A client's event as stored. Events that decide something have their sender. */
export type SentEvent = InputEvent & { sent_by?: Sender };

/** The events of one request: all are stored, or none. */
export const inputEvents = z.array(inputEvent).max(50).superRefine(systemMessageLast);

/** The events that a session starts with. They include no replies, since no tool call is waiting yet. */
export const initialEvents = z
  .array(taggedUnion("type", [userMessage, userInterrupt, systemMessage], [...CALL_REPLY_TYPES, ...later]))
  .max(50)
  .superRefine(systemMessageLast);

/** Rejects a `system.message` that is not the last event, since it applies to the events before it. */
function systemMessageLast(events: readonly InputEvent[], context: z.RefinementCtx): void {
  const place = events.findIndex((event) => event.type === "system.message");
  if (place === -1 || place === events.length - 1) return;
  const message = "There can be only one 'system.message', as the last event.";
  context.addIssue({ code: "custom", path: [place, "type"], message });
}
