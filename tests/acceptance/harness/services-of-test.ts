import { rm } from "node:fs/promises";
import type { TestContext } from "node:test";
import { Berth, type BerthOptions } from "./berth.ts";

/**
 * Starts services for one test, often several on one data directory in turn. At the end of the test each that still runs is
 * stopped, and only then are the directories removed.
 */
export function servicesOf(t: TestContext): (options?: BerthOptions) => Promise<Berth> {
  const started: Berth[] = [];
  t.after(async () => {
    await Promise.all(started.map((berth) => berth.kill("SIGTERM")));
    for (const { dataDir } of started) await rm(dataDir, { recursive: true, force: true });
  });
  return async (options = {}) => {
    const berth = await Berth.start(options);
    started.push(berth);
    return berth;
  };
}
