import { readFileSync } from "node:fs";

/**
 * Returns whether processes of a sandbox may raise their limit of core files, which is 0 at first: only where
 * the kernel writes the file into the directory of the process. Elsewhere it starts a program of the host, or
 * writes to a path that the host chose.
 */
export function mayDumpCore(pattern: string = ownPattern()): boolean {
  return pattern !== "" && !pattern.startsWith("|") && !pattern.includes("/");
}

function ownPattern(): string {
  try {
    return readFileSync("/proc/sys/kernel/core_pattern", "latin1").trim();
  } catch {
    return "";
  }
}
