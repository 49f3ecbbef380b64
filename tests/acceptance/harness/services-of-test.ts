import { rm } from "node:fs/promises";
import type { TestContext } from "node:test";
import { Berth, type BerthOptions } from "./berth.ts";

/**
 * Returns a function that starts services for one test, often several on one data directory in turn. At the
 * end of the test all running ones are stopped, and then their directories are removed.
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
