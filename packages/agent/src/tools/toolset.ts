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
 * The tools that an agent has, in their order: those enabled, without those whose config says
 * `enabled: false`. A tool with `always_deny` is among them: the model may see it and is refused.
 */
export function toolset(agent: Pick<SessionAgent, "tools">): Tool[] {
  const names = agentToolsets(agent).flatMap(({ enabled_tools, configs = [] }) =>
    enabled_tools.filter((name) => !configs.some((config) => config.name === name && !config.enabled)),
  );
  return names.map((name) => TOOLS_BY_NAME[name]);
}

/** The entries of an agent's tools that stand for the six. */
export function agentToolsets(agent: Pick<SessionAgent, "tools">): AgentToolset[] {
  return agent.tools.filter((entry) => entry.type === "agent_toolset_20260401");
}

type AgentToolset = Extract<SessionAgent["tools"][number], { type: "agent_toolset_20260401" }>;

/** What a model is told of the tools. */
export function toolDefinitions(tools: readonly ToolSpec[]): ToolDefinition[] {
  return tools.map(({ name, description, input, inputSchema }) => ({
    name,
    description,
    inputSchema: inputSchema ?? jsonSchema(input),
  }));
}

function jsonSchema(input: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return schema;
}
