/** A separate entry point: the MCP client library is large, and most sessions have no MCP server. */
export { McpConnection } from "./mcp/mcp-connection.ts";
export {
  leftOutSentence,
  type McpDefinitions,
  type McpToolDefinition,
  mcpDefinitions,
} from "./mcp/mcp-definitions.ts";
export { type McpFailure, mcpFailure } from "./mcp/mcp-failure.ts";
export { mcpTool } from "./mcp/mcp-tool.ts";
