import type { SessionAgent, ToolName } from "@berth/contract";
import { z } from "zod";
import type { ToolDefinition } from "../models/model.ts";
import { bash } from "./bash.ts";
import { edit } from "./edit.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { read } from "./read.ts";
import type { Tool, ToolSpec } from "./tool.ts";
import { write } from "./write.ts";

const TOOLS_BY_NAME: Readonly<Record<ToolName, Tool>> = {
  Bash: bash,
  Read: read,
  Write: write,
  Edit: edit,
  Glob: glob,
  Grep: grep,
};

/**
 * The built-in tools of an agent, in order: those enabled, without those whose config has `enabled: false`. Tools with
 * `always_deny` are included: the model sees them, and its calls are denied.
 */
export function toolset(agent: Pick<SessionAgent, "tools">): Tool[] {
  const names = agentToolsets(agent).flatMap(({ enabled_tools, configs = [] }) =>
    enabled_tools.filter((name) => !configs.some((config) => config.name === name && !config.enabled)),
  );
  return names.map((name) => TOOLS_BY_NAME[name]);
}

/** The entries of an agent's tools that enable built-in ones. */
export function agentToolsets(agent: Pick<SessionAgent, "tools">): AgentToolset[] {
  return agent.tools.filter((entry) => entry.type === "agent_toolset_20260401");
}

type AgentToolset = Extract<SessionAgent["tools"][number], { type: "agent_toolset_20260401" }>;

/** The tools as a model sees them. */
export function toolDefinitions(tools: readonly ToolSpec[]): ToolDefinition[] {
  return tools.map(({ name, description, input, inputSchema }) => ({
    name,
    description,
    inputSchema: inputSchema ?? jsonSchema(input),
  }));
}

/** The schemas of tools are the same for the lifetime of the process, and a turn asks for them each time. */
const jsonSchemas = new WeakMap<z.ZodType, Record<string, unknown>>();

function jsonSchema(input: z.ZodType): Record<string, unknown> {
  const known = jsonSchemas.get(input);
  if (known !== undefined) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", override: withoutNoise });
  jsonSchemas.set(input, schema);
  return schema;
}

/**
 * Leaves out what says nothing to a model and some servers refuse, since the tool applies it itself: Gemini has no
 * `additionalProperties`, and llama.cpp makes a grammar of the schema, in which thousands of repetitions are too many.
 */
function withoutNoise({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.maxLength;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
