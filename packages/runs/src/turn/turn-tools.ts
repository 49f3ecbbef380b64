import { searchTools, type Tool, type ToolResult, toolset } from "@berth/agent";
import type { SessionWorkspace } from "../workspace/session-workspace.ts";

/**
 * Returns the tools of a turn: the agent's own and those of its MCP servers.
 *
 * - Before and after a call of an own tool, the mounted memory stores are synced.
 * - The result of a call carries notes about resources, because the system prompt does not change.
 * - The session's secrets are masked in every result before it is shortened, since a cut secret would not be
 *   found in the log.
 */
export async function turnTools(
  workspace: SessionWorkspace,
  mask: (text: string) => string,
  signal: AbortSignal,
): Promise<Tool[]> {
  const own = workspace.memory.around(toolset(workspace.session.agent));
  const tools = [...own, ...(await workspace.mcpTools(signal))];
  return tools.map((tool) => ({
    ...tool,
    run: async (input, context) =>
      masked(withNotes(await tool.run(input, { ...context, mask }), workspace), mask),
  }));
}

/** Returns the tools with which Explore searches. They sync no memory stores and carry no notes. */
export function exploreTools({ session }: SessionWorkspace, mask: (text: string) => string): Tool[] {
  return searchTools(session.agent).map((tool) => ({
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
