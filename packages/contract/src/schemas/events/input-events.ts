import { z } from "zod";
import { betaVariant } from "../../conventions/beta.ts";
import { idOf, taggedUnion } from "../../conventions/fields.ts";
import type { Creator } from "../../conventions/sender.ts";
import { MAX_COMMAND_PREFIX, shellOperatorIn, trimCommand } from "../../operations/command-prefix.ts";
import { IMAGE_TYPES } from "./media-type.ts";
import { messageContentInput, sourceError, textInput } from "./message-content.ts";

/** Events by which a client replies to a tool call that waits for it. */
export const CALL_REPLY_TYPES = ["user.tool_confirmation", "user.custom_tool_result"] as const;

/** The beginning of Bash commands that a rule allows. */
export const commandPrefix = z
  .string()
  .max(MAX_COMMAND_PREFIX)
  .refine((prefix) => trimCommand(prefix) !== "", "Field '{field}' is blank.")
  .refine(
    (prefix) => shellOperatorIn(trimCommand(prefix)) === null,
    "Field '{field}' may not contain ; & | < > ( ) `, control characters, or a $ that is not followed by a name.",
  )
  .nullish()
  .meta({
    description:
      "Only for calls of Bash: allows the commands that begin with these words, and contain none of ; & | < > ( ) `, no newline, and no $ that is not followed by a name. Null or absent: allows all calls of the tool.",
  });

const always = z.strictObject({
  command_prefix: commandPrefix,
});

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
  always: always.optional().meta({
    description:
      "Also adds a rule to the session, by which later calls of the same tool run without a confirmation. Only with `allow`. A rule that the session has already is not added again.",
  }),
};

export const toolConfirmation = z
  .strictObject({ type: z.literal("user.tool_confirmation"), ...confirmation })
  .superRefine(({ result, deny_message, always }, context) => {
    const [field, other] =
      result === "allow" ? ([deny_message, "deny"] as const) : ([always, "allow"] as const);
    if (field === undefined) return;
    const message = `Field '{field}' is only allowed with the result '${other}'.`;
    context.addIssue({ code: "custom", path: [result === "allow" ? "deny_message" : "always"], message });
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

/** A client's event as stored. It has its creator, unless Berth itself sent it. */
export type SentEvent = InputEvent & { created_by?: Creator };

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
