import type { PermissionPolicy, SessionAgent } from "@berth/contract";
import { z } from "zod";
import * as notes from "../prompts/notes.ts";
import { originalInput } from "../tool-schemas/original-input.ts";
import type { OriginalNames } from "../tool-schemas/property-names.ts";
import { toolPolicy } from "../tools/agent-toolsets.ts";
import type { ClientTool } from "../tools/custom-tools.ts";
import { parseInput } from "../tools/parse-input.ts";
import type { Tool, ToolSpec } from "../tools/tool.ts";

/** What to do with a call that a model made. */
export type CallDecision =
  /** Run it; with `ask`, once a client has confirmed it. */
  | { permission: "allow" | "ask"; tool: Tool; input: unknown }
  /** The client runs it and sends the result. */
  | { permission: "client"; clientInput: ClientInput }
  /** Never run; `errorText` is its result. With `allow` the tool is permitted, but the input is invalid. */
  | { permission: "allow" | "deny"; errorText: string; tool?: Tool; clientInput?: ClientInput };

/** The input of a custom tool's call, with the client's names of properties; the same object as that of the call when they are the model's. */
type ClientInput = Record<string, unknown>;

/** The tools of a turn: those that the service runs, and custom ones, which the client runs. */
export interface TurnTools {
  tools: readonly Tool[];
  custom: readonly ClientTool[];
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
  return authorizeClientCall(call, client);
}

/** A client gets the input of its tool as the model gave it, but for the names of properties: only what the service runs is repaired. */
function authorizeClientCall(call: GivenCall, client: ClientTool): CallDecision {
  const { inputSchema, originals } = client;
  const clientInput = originalInput(call.input, inputSchema, originals);
  const { error } = client.input.safeParse(clientInput);
  const told = error === undefined ? undefined : withModelNames(error, originals);
  const errorText = inputError(call, client, told);
  return errorText === undefined
    ? { permission: "client", clientInput }
    : { permission: "deny", errorText, clientInput };
}

/** The model knows the names that it was given. */
function withModelNames(error: z.ZodError, originals: OriginalNames): z.ZodError {
  const given = new Map<PropertyKey, string>(
    Object.entries(originals).map(([name, original]) => [original, name]),
  );
  return new z.ZodError(
    error.issues.map((issue) => ({ ...issue, path: issue.path.map((name) => given.get(name) ?? name) })),
  );
}

/** Whether the call waits for a confirmation or a result from a client. */
export function awaitsClient({ permission }: CallDecision): boolean {
  return permission === "ask" || permission === "client";
}

/** A call with invalid input fails without asking a client. */
function authorizeServiceCall(call: GivenCall, tool: Tool, policy: PermissionPolicy["type"]): CallDecision {
  if (policy === "always_deny")
    return { permission: "deny", errorText: notes.deniedByPolicy(tool.name), tool };
  const { data: input, error } = parseInput(tool.input, call.input);
  const errorText = inputError(call, tool, error);
  const asks = policy === "always_ask";
  if (errorText === undefined) return { permission: asks ? "ask" : "allow", tool, input };
  return { permission: asks ? "deny" : "allow", errorText, tool };
}

function inputError(
  { malformed }: GivenCall,
  tool: ToolSpec,
  error: z.ZodError | undefined,
): string | undefined {
  if (malformed !== undefined) return notes.malformedInput(tool.name, malformed);
  return error === undefined ? undefined : notes.invalidInput(tool.name, z.prettifyError(error));
}

function policyOf(agent: SessionAgent, tool: Tool): PermissionPolicy["type"] {
  return tool.permission ?? toolPolicy(agent, tool.name);
}
