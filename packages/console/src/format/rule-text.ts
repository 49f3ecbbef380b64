import type { EventOf } from "@berth/sdk";

type Scope = Pick<
  EventOf<"session.confirmation_rule_added">,
  "tool_name" | "mcp_server_name" | "command_prefix"
>;

/** Returns which calls a confirmation rule allows, such as `npm test …` or `all calls of Write`. */
export function ruleText({
  tool_name: tool,
  mcp_server_name: server,
  command_prefix: prefix,
}: Scope): string {
  if (prefix !== null) return `${prefix} …`;
  return `all calls of ${server === null ? tool : `${tool} of ${server}`}`;
}
