import { z } from "zod";
import { deletedObject, idOf, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { creator } from "../../conventions/sender.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { TOOL_NAMES } from "../agents/agent-tools.ts";
import { commandPrefix } from "../events/input-events.ts";
import { ruleScope } from "../events/session-events.ts";

/** Maximum number of rules of a session. */
export const MAX_CONFIRMATION_RULES = 100;

/**
 * A rule of one session, by which calls that would wait for a confirmation run at once. It never allows what
 * the agent's permission policy denies.
 */
export const confirmationRule = z
  .strictObject({
    id: idOf("confirmation_rule"),
    type: z.literal("confirmation_rule"),
    session_id: idOf("session"),
    ...ruleScope,
    created_by: creator,
    created_at: timestamp,
  })
  .meta({ id: "ConfirmationRule" });
export type ConfirmationRule = z.output<typeof confirmationRule>;

const newRule = z
  .strictObject({
    tool_name: z
      .string()
      .min(1)
      .max(200)
      .meta({
        description: `One of ${TOOL_NAMES.join(", ")}, or the name that an MCP server has for a tool.`,
      }),
    mcp_server_name: z.string().min(1).max(255).nullish().meta({
      description: "The MCP server that has the tool. Null or absent for a tool of Berth itself.",
    }),
    command_prefix: commandPrefix,
  })
  .superRefine(({ tool_name, mcp_server_name, command_prefix }, context) => {
    const isOwn = mcp_server_name == null;
    if (isOwn && !(TOOL_NAMES as readonly string[]).includes(tool_name)) {
      const message = `Field '{field}' must be one of ${TOOL_NAMES.join(", ")}, unless 'mcp_server_name' is given.`;
      context.addIssue({ code: "custom", path: ["tool_name"], message });
    }
    if (command_prefix == null || (isOwn && tool_name === "Bash")) return;
    const message = "Field '{field}' is only allowed for calls of Bash.";
    context.addIssue({ code: "custom", path: ["command_prefix"], message });
  });

export const confirmationRuleRoutes = {
  create: defineRoute(operations.confirmationRules.create, {
    params: z.strictObject({ session_id: z.string() }),
    body: newRule,
    response: confirmationRule,
  }),
  list: defineRoute(operations.confirmationRules.list, {
    params: z.strictObject({ session_id: z.string() }),
    query: listQuery("confirmation_rule", {}),
    response: pageOf(confirmationRule),
  }),
  delete: defineRoute(operations.confirmationRules.delete, {
    params: z.strictObject({ session_id: z.string(), rule_id: z.string() }),
    response: deletedObject("confirmation_rule"),
  }),
};
