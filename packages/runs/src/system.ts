export type { SystemDeps } from "./system/session-system.ts";
