export type { Preview, PreviewPiece } from "./announced-answer.ts";
export { answeredCall, isResult, isUse } from "./call-events.ts";
export { foldHistory } from "./fold-history.ts";
export type { History } from "./history.ts";
export * from "./log.ts";
export { runTurn } from "./loop.ts";
export { createMcpConnection, type McpConnection, type McpConnectionOptions } from "./mcp/connection.ts";
export { type McpFault, mcpFault } from "./mcp/fault.ts";
export { type McpToolDefinition, mcpDefinitions, mcpTool } from "./mcp/tools.ts";
export type { FileContent } from "./message-files.ts";
export * from "./model.ts";
export { ModelsFileError } from "./models/models-file.ts";
export {
  createModelRegistry,
  type ModelInfo,
  type ModelRegistry,
  type ModelRegistryOptions,
} from "./models/registry.ts";
export { createRehearsalModel, type RehearsalOptions } from "./models/rehearsal/rehearsal-model.ts";
export { unrunDrafts } from "./settle-calls.ts";
export type * from "./tool.ts";
export { toolDefinitions, toolset } from "./toolset.ts";
export type { Turn } from "./turn.ts";
