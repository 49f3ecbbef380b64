import assert from "node:assert/strict";
import { globSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds after which a process that has not ended is considered hanging. */
export const HANG_MS = 120_000;

/** Waits until no process has the data directory in its environment, working directory or arguments. */
export async function assertNothingLeft(dataDir: string): Promise<void> {
  const deadline = AbortSignal.timeout(HANG_MS);
  for (;;) {
    const left = processesOf(dataDir);
    if (left.length === 0) return;
    assert.ok(!deadline.aborted, `left:\n${left.join("\n")}`);
    await pause(20);
  }
}

function processesOf(dataDir: string): string[] {
  return globSync("/proc/[0-9]*").flatMap((process) => {
    try {
      const command = readFileSync(`${process}/cmdline`, "utf8").replaceAll("\0", " ");
      const texts = [command, readFileSync(`${process}/environ`, "utf8"), readlinkSync(`${process}/cwd`)];
      const state = /^State:\s+(\w)/m.exec(readFileSync(`${process}/status`, "utf8"))?.[1];
      return state !== "Z" && texts.some((text) => text.includes(dataDir)) ? [`${process} ${command}`] : [];
    } catch {
      return [];
    }
  });
}
