import type { Berth } from "./berth.ts";
import { waitUntil } from "./wait-until.ts";

/** Returns how many snapshots of the repository the service has built since it started. */
export function countSnapshotsBuilt(berth: Pick<Berth, "log">, url: string): number {
  return berth.log
    .split("\n")
    .filter(
      (line) => line.includes("a repository snapshot was built") && line.includes(`${JSON.stringify(url)},`),
    ).length;
}

/** Resolves when the service has built `count` snapshots of the repository. */
export async function waitForSnapshots(berth: Pick<Berth, "log">, url: string, count: number): Promise<void> {
  await waitUntil(
    () => countSnapshotsBuilt(berth, url) >= count,
    () => `fewer than ${count} snapshots of ${url} were built:\n${berth.log.slice(-2_000)}`,
  );
}
