export { unstartedCallResults } from "./calls/unrun-calls.ts";
export { isToolUse, waitsForClient } from "./history/call-events.ts";
export { foldHistory } from "./history/fold-history.ts";
export type { History } from "./history/history.ts";
export * from "./history/log.ts";
export type { ReadFile } from "./history/message-files.ts";
export { StartedCalls } from "./history/started-calls.ts";
export type { Turn } from "./loop/run-turn.ts";
export { runTurn } from "./loop/run-turn.ts";
export { McpConnection, type McpConnectionOptions } from "./mcp/mcp-connection.ts";
export { type McpFailure, mcpFailure } from "./mcp/mcp-failure.ts";
export { type McpToolDefinition, mcpDefinitions, mcpTool } from "./mcp/mcp-tool.ts";
export * from "./models/model.ts";
export { ModelsFileError } from "./models/registry/models-file.ts";
export {
  createModelRegistry,
  type ModelInfo,
  type ModelRegistry,
  type ModelRegistryOptions,
} from "./models/registry/registry.ts";
export { createRehearsalModel, type RehearsalOptions } from "./models/rehearsal/rehearsal-model.ts";
export type { PreviewPiece, TextStreams } from "./requests/response-preview.ts";
export type * from "./tools/tool.ts";
export { toolDefinitions, toolset } from "./tools/toolset.ts";
