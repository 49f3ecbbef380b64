import type { SessionAgent, ToolName } from "@berth/contract";
import { z } from "zod";
import type { ToolDefinition } from "./model.ts";
import type { Tool } from "./tool.ts";
import { bash } from "./tools/bash.ts";
import { edit } from "./tools/edit.ts";
import { glob } from "./tools/glob.ts";
import { grep } from "./tools/grep.ts";
import { read } from "./tools/read.ts";
import { write } from "./tools/write.ts";

const toolsByName: Readonly<Record<ToolName, Tool>> = {
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
  const names = agent.tools.flatMap(({ enabled_tools, configs = [] }) =>
    enabled_tools.filter((name) => !configs.some((config) => config.name === name && !config.enabled)),
  );
  return names.map((name) => toolsByName[name]);
}

/** What a model is told of the tools. */
export function toolDefinitions(tools: readonly Tool[]): ToolDefinition[] {
  return tools.map(({ name, description, input }) => {
    const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
    return { name, description, inputSchema };
  });
}
