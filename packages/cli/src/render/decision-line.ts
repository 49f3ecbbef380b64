import type { EventOf } from "@berth/sdk";
import { plainLine } from "../terminal/plain-text.ts";

type Created = Pick<EventOf<"user.tool_confirmation">, "created_by">;
type Rule = Pick<
  EventOf<"session.confirmation_rule_added">,
  "tool_name" | "mcp_server_name" | "command_prefix"
>;

/** Returns ` by ada@example.com`; nothing for an event of version 0.1, and the id of an erased user. */
export function byWhom({ created_by: by }: Created): string {
  return by === undefined ? "" : ` by ${plainLine(by.name ?? by.id)}`;
}

/** Returns `denied by ada@example.com: Not on a Friday.` */
export function decisionLine(event: EventOf<"user.tool_confirmation">): string {
  const verb = event.result === "allow" ? "allowed" : "denied";
  const { deny_message: reason } = event;
  return `${verb}${byWhom(event)}${reason === undefined ? "" : `: ${plainLine(reason)}`}`;
}

/** Returns which calls a rule allows, such as `Bash: npm test …`. */
export function ruleLine({ tool_name: tool, mcp_server_name: server, command_prefix: prefix }: Rule): string {
  const name = server === null ? tool : `${server}: ${tool}`;
  return plainLine(prefix === null ? `all calls of ${name}` : `${name}: ${prefix} …`);
}

/** Returns who made the rule that allowed a call. */
export function ruleOfCall({ created_by, command_prefix: prefix }: CallRule): string {
  const which = prefix === null ? "a rule" : `the rule ${plainLine(prefix)} …`;
  return `allowed by ${which} of ${plainLine(created_by.name ?? created_by.id)}`;
}

type CallRule = NonNullable<EventOf<"agent.tool_use">["confirmation_rule"]>;
