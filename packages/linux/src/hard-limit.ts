import { readFileSync } from "node:fs";

/** Resource limits by their names in `/proc/self/limits`. */
export type LimitTitle = "Max core file size" | "Max data size" | "Max open files" | "Max processes";

/**
 * Returns a hard limit of this process, in bytes or as a number. Child processes cannot exceed it, except those
 * with CAP_SYS_RESOURCE. An unlimited or unknown limit is `Infinity`.
 */
export function hardLimit(title: LimitTitle): number {
  const line = readFileSync("/proc/self/limits", "latin1")
    .split("\n")
    .find((text) => text.startsWith(title));
  const hard = line?.slice(26).trim().split(/\s+/)[1];
  return hard === undefined || hard === "unlimited" ? Number.POSITIVE_INFINITY : Number(hard);
}
