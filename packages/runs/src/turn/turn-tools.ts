import { searchTools, type Tool, type ToolResult, toolset } from "@berth/agent";
import type { SessionWorkspace } from "../workspace/session-workspace.ts";

/**
 * The tools of a turn: the agent's own and those of its MCP servers.
 *
 * - Around a call of an own tool, the mounted memory stores are brought up to date.
 * - The result of a call also says what could not be put in place since the last one: the system prompt stays as it was at the
 *   start of the session.
 * - The session's secrets are masked in every result before it is shortened: the log would not find what was cut in two.
 */
export async function turnTools(
  workspace: SessionWorkspace,
  mask: (text: string) => string,
  signal: AbortSignal,
): Promise<Tool[]> {
  const own = workspace.memory.around(toolset(workspace.session.agent, workspace.session.prefixVersion));
  const tools = [...own, ...(await workspace.mcpTools(signal))];
  return tools.map((tool) => ({
    ...tool,
    run: async (input, context) =>
      masked(withNotes(await tool.run(input, { ...context, mask }), workspace), mask),
  }));
}

/** The tools with which Explore searches. What a call of the agent itself does beside its work, the call of Explore does. */
export function exploreTools({ session }: SessionWorkspace, mask: (text: string) => string): Tool[] {
  return searchTools(session.agent, session.prefixVersion).map((tool) => ({
    ...tool,
    run: async (input, context) => masked(await tool.run(input, { ...context, mask }), mask),
  }));
}

function withNotes(result: ToolResult, workspace: SessionWorkspace): ToolResult {
  const notes = workspace.takeNotes().map((text) => ({ type: "text" as const, text }));
  return notes.length === 0 ? result : { ...result, content: [...result.content, ...notes] };
}

function masked(result: ToolResult, mask: (text: string) => string): ToolResult {
  const content = result.content.map((block) =>
    block.type === "text" ? { ...block, text: mask(block.text) } : block,
  );
  return { ...result, content };
}
