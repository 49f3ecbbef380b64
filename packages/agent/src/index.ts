export type * from "./calls/call-outputs.ts";
export type { Explorer } from "./calls/explorer.ts";
export { unstartedCallResults } from "./calls/unrun-calls.ts";
export { type ExploreDeps, explorer } from "./explore/explorer.ts";
export { isToolUse, waitsForClient } from "./history/call-events.ts";
export { foldHistory } from "./history/fold-history.ts";
export type { History } from "./history/history.ts";
export { entriesLeftOut } from "./history/left-out.ts";
export * from "./history/log.ts";
export { LogCopy } from "./history/log-copy.ts";
export * from "./history/log-entry.ts";
export type { ReadFile } from "./history/message-files.ts";
export { parentCallOf } from "./history/nested-events.ts";
export { StartedCalls } from "./history/started-calls.ts";
export type { GapParts } from "./loop/gap-clock.ts";
export { summariseIdle } from "./loop/idle-summary.ts";
export { runTurn } from "./loop/run-turn.ts";
export type { SummaryTime, Turn } from "./loop/turn.ts";
export { affordableOutput, type ListPrice, listCost, worstCost } from "./models/list-price.ts";
export * from "./models/model.ts";
export { PREFIX_VERSION } from "./prompts/prefix-version.ts";
export { storableText } from "./prompts/text.ts";
export type { PreviewPiece, TextStream } from "./requests/response-preview.ts";
export {
  type Allowance,
  MIN_OUTPUT_TOKENS,
  type Spending,
  type WorstCase,
} from "./requests/spending.ts";
export type * from "./tools/tool.ts";
export { searchTools, toolDefinitions, toolset } from "./tools/toolset.ts";
