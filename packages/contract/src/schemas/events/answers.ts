import { z } from "zod";
import { idOf, kindsBy } from "../../conventions/fields.ts";
import { imageTypes } from "./media-type.ts";
import { givenText, sourceFault } from "./message-content.ts";

/** What clients answer to the calls of a session that wait for them. */
export const answerTypes = ["user.tool_confirmation", "user.custom_tool_result"] as const;

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
    media_type: z.enum(imageTypes),
    data: z.string().min(1),
  }),
});

export const customToolResult = z.strictObject({
  type: z.literal("user.custom_tool_result"),
  custom_tool_use_id: idOf("event").meta({ description: "The `agent.custom_tool_use` that waits." }),
  content: z
    .array(kindsBy("type", [givenText, givenImage]))
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
