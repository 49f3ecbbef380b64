import { readFileSync } from "node:fs";

/** A hard limit of this process, which no process that it starts can exceed, by its name in `/proc/self/limits`. */
export function hardLimit(name: "Max open files" | "Max processes"): number {
  const line = readFileSync("/proc/self/limits", "latin1")
    .split("\n")
    .find((text) => text.startsWith(name));
  const hard = line?.slice(26).trim().split(/\s+/)[1];
  return hard === undefined || hard === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(hard);
}
