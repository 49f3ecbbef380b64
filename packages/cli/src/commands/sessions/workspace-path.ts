import { posix } from "node:path";

/** A path in a sandbox as people write it: relative to `/data`, where commands of the agent start. */
export function workspacePath(given: string): string {
  const path = posix.resolve("/data", given);
  return path === "/" ? path : path.replace(/\/+$/, "");
}
