/** A door of its own: the client's library is large, and most sessions have no MCP server. */
export { McpConnection } from "./mcp/mcp-connection.ts";
export { type McpFailure, mcpFailure } from "./mcp/mcp-failure.ts";
export { type McpToolDefinition, mcpDefinitions, mcpTool } from "./mcp/mcp-tool.ts";
