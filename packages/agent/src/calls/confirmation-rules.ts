import { shellOperatorIn, trimCommand } from "@berth/contract";
import type { Tool } from "../tools/tool.ts";
import type { AppliedRule, CallDecision } from "./authorize-call.ts";

/**
 * Returns the decision about a call by the session's rules. A rule turns only `ask` into `allow`: what the
 * agent's permission policy denies stays denied.
 */
export function applyRules(decision: CallDecision, rules: readonly AppliedRule[]): CallDecision {
  if (decision.permission !== "ask") return decision;
  const { tool, input } = decision;
  const rule = rules.find((one) => isOfTool(one, tool) && allowsInput(one, input));
  return rule === undefined ? decision : { permission: "allow", tool, input, rule };
}

function isOfTool({ tool_name, mcp_server_name }: AppliedRule, { name, mcp }: Tool): boolean {
  return mcp === undefined
    ? mcp_server_name === null && tool_name === name
    : mcp_server_name === mcp.server && tool_name === mcp.name;
}

function allowsInput({ command_prefix: prefix }: AppliedRule, input: unknown): boolean {
  if (prefix === null) return true;
  const command = typeof input === "object" && input !== null && "command" in input ? input.command : null;
  return typeof command === "string" && beginsWith(command, prefix);
}

/**
 * Returns whether a command is one simple command that begins with these words: the prefix ends where a word
 * does, and nothing in the command may chain another one (`shellOperatorIn`).
 */
export function beginsWith(command: string, prefix: string): boolean {
  const trimmed = trimCommand(command);
  if (prefix === "" || !trimmed.startsWith(prefix) || shellOperatorIn(trimmed) !== null) return false;
  const next = trimmed.charAt(prefix.length);
  return next === "" || next === " " || next === "\t";
}
