import type { ConfirmationRule, PermissionPolicy, SessionAgent } from "@berth/contract";
import { z } from "zod";
import * as notes from "../prompts/notes.ts";
import { originalInput } from "../tool-schemas/original-input.ts";
import type { OriginalNames } from "../tool-schemas/property-names.ts";
import { toolPolicy } from "../tools/agent-toolsets.ts";
import type { ClientTool } from "../tools/custom-tools.ts";
import { parseInput } from "../tools/parse-input.ts";
import type { Tool, ToolSpec } from "../tools/tool.ts";

/** A rule of the session, by which calls that would wait for a confirmation run at once. */
export type AppliedRule = Omit<ConfirmationRule, "type" | "session_id" | "created_at">;

/** The decision about a call that a model made. */
export type CallDecision =
  /** The service runs it; with `ask`, only after a client has confirmed it. `rule` allowed it if it is set. */
  | { permission: "allow" | "ask"; tool: Tool; input: unknown; rule?: AppliedRule }
  /** The client runs it and sends the result. */
  | { permission: "client"; clientInput: ClientInput }
  /** It never runs; `errorText` is its result. With `allow` the tool is permitted, but the input invalid. */
  | { permission: "allow" | "deny"; errorText: string; tool?: Tool; clientInput?: ClientInput };

/** A custom tool's input with the client's property names; the call's own object when they are equal. */
type ClientInput = Record<string, unknown>;

/** The tools of a turn: those that the service runs, and custom tools, which the client runs. */
export interface TurnTools {
  tools: readonly Tool[];
  custom: readonly ClientTool[];
}

/** A call as the model made it. `malformed` is the text of its input when that is not a JSON object. */
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

/**
 * Checks a call of a custom tool. Apart from property names, the client gets the model's input unchanged:
 * only inputs of the service's own tools are repaired.
 */
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

/** Replaces the client's property names in an error by those that the model was given. */
function withModelNames(error: z.ZodError, originals: OriginalNames): z.ZodError {
  const given = new Map<PropertyKey, string>(
    Object.entries(originals).map(([name, original]) => [original, name]),
  );
  return new z.ZodError(
    error.issues.map((issue) => ({ ...issue, path: issue.path.map((name) => given.get(name) ?? name) })),
  );
}

/** Returns whether the call waits for a client's confirmation or result. */
export function awaitsClient({ permission }: CallDecision): boolean {
  return permission === "ask" || permission === "client";
}

/** Checks a call of the service's own tool. A call with invalid input fails without asking a client. */
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
