import type { PermissionPolicy, SessionAgent } from "@berth/contract";
import { z } from "zod";
import * as notes from "../prompts/notes.ts";
import { parseInput } from "../tools/parse-input.ts";
import type { Tool, ToolSpec } from "../tools/tool.ts";
import { agentToolsets } from "../tools/toolset.ts";

/** What to do with a call that a model made. */
export type CallDecision =
  /** Run it; with `ask`, once a client has confirmed it. */
  | { permission: "allow" | "ask"; tool: Tool; input: unknown }
  /** The client runs it and sends the result. */
  | { permission: "client" }
  /** Never run; `errorText` is its result. With `allow` the tool is permitted, but the input is invalid. */
  | { permission: "allow" | "deny"; errorText: string; tool?: Tool };

/** The tools of a turn: those that the service runs, and custom ones, which the client runs. */
export interface TurnTools {
  tools: readonly Tool[];
  custom: readonly ToolSpec[];
}

/** A call as the model made it. `malformed`: the text of its input, where that is no JSON object. */
interface GivenCall {
  name: string;
  input: Record<string, unknown>;
  malformed?: string;
}

/** Decides by the agent's permission policy and the tool's input schema, before anything runs. */
export function authorizeCall(
  call: GivenCall,
  agent: SessionAgent,
  { tools, custom }: TurnTools,
): CallDecision {
  const named = (candidate: ToolSpec) => candidate.name === call.name;
  const tool = tools.find(named);
  if (tool !== undefined) return authorizeServiceCall(call, tool, policyOf(agent, tool));
  const client = custom.find(named);
  if (client === undefined) {
    const known = [...tools, ...custom].map((candidate) => candidate.name);
    return { permission: "deny", errorText: notes.unknownTool(call.name, known) };
  }
  const { errorText } = checkedInput(call, client);
  return errorText === undefined ? { permission: "client" } : { permission: "deny", errorText };
}

/** Whether the call waits for a confirmation or a result from a client. */
export function awaitsClient({ permission }: CallDecision): boolean {
  return permission === "ask" || permission === "client";
}

/** A call with invalid input fails without asking a client. */
function authorizeServiceCall(call: GivenCall, tool: Tool, policy: PermissionPolicy["type"]): CallDecision {
  if (policy === "always_deny")
    return { permission: "deny", errorText: notes.deniedByPolicy(tool.name), tool };
  const { input, errorText } = checkedInput(call, tool, parseInput);
  const asks = policy === "always_ask";
  if (errorText === undefined) return { permission: asks ? "ask" : "allow", tool, input };
  return { permission: asks ? "deny" : "allow", errorText, tool };
}

/** @param parse A client gets the input of its tool as the model gave it: only what the service runs is repaired. */
function checkedInput(
  { input, malformed }: GivenCall,
  tool: ToolSpec,
  parse: typeof parseInput = (schema, given) => schema.safeParse(given),
): { input?: unknown; errorText?: string } {
  if (malformed !== undefined) return { errorText: notes.malformedInput(tool.name, malformed) };
  const { data, error } = parse(tool.input, input);
  return error === undefined ? { input: data } : { errorText: invalidInput(tool, error) };
}

function policyOf(agent: SessionAgent, tool: Tool): PermissionPolicy["type"] {
  if (tool.permission !== undefined) return tool.permission;
  const configs = agentToolsets(agent).flatMap((toolset) => toolset.configs ?? []);
  return configs.find((config) => config.name === tool.name)?.permission_policy.type ?? "always_allow";
}

function invalidInput(tool: ToolSpec, error: z.ZodError): string {
  return notes.invalidInput(tool.name, z.prettifyError(error));
}
