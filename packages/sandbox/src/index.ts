export { type BubblewrapOptions, createBubblewrapEngine } from "./bubblewrap/bubblewrap-engine.ts";
export { createEgress, type EgressOptions } from "./egress/create-egress.ts";
export * from "./files.ts";
export * from "./sandbox.ts";
export * from "./workspace/index.ts";
