import type { Tool, ToolResult } from "@berth/agent";

/**
 * The same tools, whose results are told without the secrets that their commands had: what an agent prints of a token
 * is masked before it reaches the log, a follower or a model. The plain, JSON, URL, base64 and hexadecimal forms are known; an agent that
 * encodes a secret otherwise is not stopped by this.
 */
export function maskingSecrets(tools: readonly Tool[], mask: (text: string) => string): Tool[] {
  return tools.map((tool) => ({
    ...tool,
    run: async (input, context) => masked(await tool.run(input, context), mask),
  }));
}

function masked(result: ToolResult, mask: (text: string) => string): ToolResult {
  const content = result.content.map((block) =>
    block.type === "text" ? { ...block, text: mask(block.text) } : block,
  );
  return { ...result, content };
}
