import { readFileSync } from "node:fs";

/**
 * Returns a hard limit of this process by its name in `/proc/self/limits`. Child processes cannot exceed it.
 * An unlimited or unknown limit is `Number.MAX_SAFE_INTEGER`.
 */
export function hardLimit(name: "Max open files" | "Max processes"): number {
  const line = readFileSync("/proc/self/limits", "latin1")
    .split("\n")
    .find((text) => text.startsWith(name));
  const hard = line?.slice(26).trim().split(/\s+/)[1];
  return hard === undefined || hard === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(hard);
}
