import { createHash } from "node:crypto";

const longest = 64;

/**
 * The name by which a model calls a tool of an MCP server: `mcp__<server>__<tool>`. Where that would be too long, hold
 * characters that providers refuse, or be open to another reading, it is cut down and ends with a digest of both names.
 * Equal names give equal results.
 */
export function mcpToolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  const clear = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/.test(server) && /^[A-Za-z0-9_-]+$/.test(tool);
  if (clear && plain.length <= longest) return plain;
  const digest = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, 8);
  return `${plain.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, longest - 1 - digest.length)}_${digest}`;
}
