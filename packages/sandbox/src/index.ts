export { type BubblewrapOptions, createBubblewrapEngine } from "./bubblewrap/bubblewrap-engine.ts";
export * from "./files.ts";
export * from "./sandbox.ts";
