import type { SessionAgent } from "@berth/contract";
import { z } from "zod";
import * as notes from "./notes.ts";
import type { Tool } from "./tool.ts";

/** What becomes of a call that a model makes. */
export type Verdict =
  | { permission: "allow"; tool: Tool; input: unknown }
  /** Never run; the model is told why. `allow`: the tool may be used, but not with this input. */
  | { permission: "allow" | "deny"; refusal: string };

/** Decides by the agent's permission policy and the tool's schema, before anything runs. */
export function judgeCall(
  call: { name: string; input: Record<string, unknown> },
  agent: SessionAgent,
  tools: readonly Tool[],
): Verdict {
  const tool = tools.find((candidate) => candidate.name === call.name);
  if (tool === undefined) {
    const known = tools.map((candidate) => candidate.name);
    return { permission: "deny", refusal: notes.unknownTool(call.name, known) };
  }
  if (isDenied(agent, call.name)) return { permission: "deny", refusal: notes.deniedTool(call.name) };
  const parsed = tool.input.safeParse(call.input);
  if (parsed.success) return { permission: "allow", tool, input: parsed.data };
  return { permission: "allow", refusal: notes.unfitInput(call.name, z.prettifyError(parsed.error)) };
}

function isDenied(agent: SessionAgent, name: string): boolean {
  const configs = agent.tools.flatMap((toolset) => toolset.configs ?? []);
  return configs.some((config) => config.name === name && config.permission_policy.type === "always_deny");
}
