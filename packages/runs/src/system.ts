export type { SystemParts } from "./system/session-system.ts";
