import { posix } from "node:path";

/** Returns the absolute path in a sandbox. A relative path starts at `/data`, like commands of the agent. */
export function workspacePath(given: string): string {
  const path = posix.resolve("/data", given);
  return path === "/" ? path : path.replace(/\/+$/, "");
}
