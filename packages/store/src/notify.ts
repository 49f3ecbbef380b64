export type { Neighbours, Notice } from "./notify/neighbours.ts";
export type { LivePiece, OutputPiece } from "./notify/preview-piece.ts";
export { openSessionHub, type SessionHub } from "./notify/session-hub.ts";
export type { LiveOutput } from "./notify/tool-outputs.ts";
