import type { PermissionPolicy, SessionAgent } from "@berth/contract";
import { z } from "zod";
import * as notes from "../prompts/notes.ts";
import type { Tool, ToolSpec } from "../tools/tool.ts";
import { agentToolsets } from "../tools/toolset.ts";

/** What becomes of a call that a model makes. */
export type CallDecision =
  /** Run; with `ask`, when a client has allowed it. */
  | { permission: "allow" | "ask"; tool: Tool; input: unknown }
  /** The client runs it and sends the result. */
  | { permission: "client" }
  /** Never run; the model is told why. `allow`: the tool may be used, but not with this input. */
  | { permission: "allow" | "deny"; refusal: string; tool?: Tool };

export interface Tools {
  tools: readonly Tool[];
  /** Those that the client runs. */
  custom: readonly ToolSpec[];
}

/** Decides by the agent's permission policy and the tool's schema, before anything runs. */
export function authorizeCall(
  call: { name: string; input: Record<string, unknown> },
  agent: SessionAgent,
  { tools, custom }: Tools,
): CallDecision {
  const named = (candidate: ToolSpec) => candidate.name === call.name;
  const tool = tools.find(named);
  if (tool !== undefined) return authorizeServiceCall(call.input, tool, policyOf(agent, tool));
  const client = custom.find(named);
  if (client === undefined) {
    const known = [...tools, ...custom].map((candidate) => candidate.name);
    return { permission: "deny", refusal: notes.unknownTool(call.name, known) };
  }
  const fault = client.input.safeParse(call.input).error;
  return fault === undefined
    ? { permission: "client" }
    : { permission: "deny", refusal: unfit(client, fault) };
}

/** Whether the call waits for a client. */
export function waits({ permission }: CallDecision): boolean {
  return permission === "ask" || permission === "client";
}

/** A call whose input does not fit is refused without asking anyone. */
function authorizeServiceCall(given: unknown, tool: Tool, policy: PermissionPolicy["type"]): CallDecision {
  if (policy === "always_deny") return { permission: "deny", refusal: notes.deniedByPolicy(tool.name), tool };
  const { data: input, error } = tool.input.safeParse(given);
  const asks = policy === "always_ask";
  if (error === undefined) return { permission: asks ? "ask" : "allow", tool, input };
  return { permission: asks ? "deny" : "allow", refusal: unfit(tool, error), tool };
}

function policyOf(agent: SessionAgent, tool: Tool): PermissionPolicy["type"] {
  if (tool.permission !== undefined) return tool.permission;
  const configs = agentToolsets(agent).flatMap((toolset) => toolset.configs ?? []);
  return configs.find((config) => config.name === tool.name)?.permission_policy.type ?? "always_allow";
}

function unfit(tool: ToolSpec, error: z.ZodError): string {
  return notes.invalidInput(tool.name, z.prettifyError(error));
}
