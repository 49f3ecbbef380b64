import type { Berth } from "./berth.ts";
import { waitUntil } from "./wait-until.ts";

/** How many templates of the repository the service has made since it was started. */
export function countSnapshotsBuilt(berth: Berth, url: string): number {
  return berth.log
    .split("\n")
    .filter(
      (line) => line.includes("a repository snapshot was built") && line.includes(`${JSON.stringify(url)},`),
    ).length;
}

/** Resolves when it has made so many of it. */
export async function waitForSnapshots(berth: Berth, url: string, count: number): Promise<void> {
  await waitUntil(
    () => countSnapshotsBuilt(berth, url) >= count,
    () => `Fewer than ${count} of ${url} were made:\n${berth.log.slice(-2_000)}`,
  );
}
