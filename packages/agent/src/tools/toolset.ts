import type { SessionAgent, ToolName } from "@berth/contract";
import { z } from "zod";
import type { ToolDefinition } from "../models/model.ts";
import { agentToolsets, toolPolicy } from "./agent-toolsets.ts";
import { bash } from "./bash.ts";
import { edit } from "./edit.ts";
import { explore } from "./explore.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { read } from "./read.ts";
import { maxResultBytes } from "./result-form.ts";
import type { Tool, ToolSpec } from "./tool.ts";
import { write } from "./write.ts";

/**
 * Returns an agent's enabled built-in tools in order. Tools with `always_deny` are included: the model sees
 * them, and its calls are denied.
 */
export function toolset(agent: Pick<SessionAgent, "tools">): Tool[] {
  const tools: Record<ToolName, Tool> = {
    Bash: bash(maxResultBytes(agent, "Bash")),
    Read: read(maxResultBytes(agent, "Read")),
    Write: write,
    Edit: edit,
    Glob: glob,
    Grep: grep(maxResultBytes(agent, "Grep")),
    Explore: explore,
  };
  const names = agentToolsets(agent).flatMap(({ enabled_tools, configs = [] }) =>
    enabled_tools.filter((name) => !configs.some((config) => config.name === name && !config.enabled)),
  );
  return names.map((name) => tools[name]);
}

const SEARCH_TOOLS: readonly string[] = ["Read", "Glob", "Grep"] satisfies ToolName[];

/**
 * Returns the agent's built-in tools that Explore searches with, in order: those that read, are not denied,
 * and need no confirmation.
 */
export function searchTools(agent: Pick<SessionAgent, "tools">): Tool[] {
  return toolset(agent).filter(
    ({ name }) => SEARCH_TOOLS.includes(name) && toolPolicy(agent, name) === "always_allow",
  );
}

/** Returns the tools as a model sees them. */
export function toolDefinitions(tools: readonly ToolSpec[]): ToolDefinition[] {
  return tools.map(({ name, description, input, inputSchema }) => ({
    name,
    description,
    inputSchema: inputSchema ?? jsonSchema(input),
  }));
}

/** Caches schemas. They never change while the process runs, and each turn needs them. */
const jsonSchemas = new WeakMap<z.ZodType, Record<string, unknown>>();

function jsonSchema(input: z.ZodType): Record<string, unknown> {
  const known = jsonSchemas.get(input);
  if (known !== undefined) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", override: withoutNoise });
  jsonSchemas.set(input, schema);
  return schema;
}

/**
 * Removes constraints that some servers reject, since the tool validates them itself: Gemini does not support
 * `additionalProperties`, and llama.cpp makes a grammar of the schema, which cannot have thousands of
 * repetitions.
 */
function withoutNoise({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.maxLength;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
