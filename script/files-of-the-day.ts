import { isTodays } from "../tests/effort/effort.ts";

/**
 * Long test files, which take a quarter of the suite's processor time. One list is run each day (UTC), so
 * that each file is run within three days. The lists take about the same time.
 */
export const LISTS: readonly (readonly string[])[] = [
  [
    "tests/image/image.test.ts",
    "tests/kubernetes/nodes.test.ts",
    "tests/release/berth-package.test.ts",
    "tests/release/sdk-package.test.ts",
    "tests/systemd/debian-package.test.ts",
    "tests/crash/reclaim.test.ts",
    "tests/crash/s3-uploads.test.ts",
  ],
  [
    "tests/kubernetes/sessions.test.ts",
    "tests/kubernetes/warm-pods.test.ts",
    "tests/crash/idle-summary.test.ts",
    "tests/crash/outputs.test.ts",
    "tests/crash/session-batches.test.ts",
    "tests/crash/two-machines.test.ts",
    "tests/crash/waiting-calls.test.ts",
    "tests/crash/workspace-reads.test.ts",
  ],
  [
    "tests/kubernetes/volume-snapshots.test.ts",
    "tests/many-machines/rolling-upgrade.test.ts",
    "tests/crash/idempotency.test.ts",
    "tests/crash/mcp.test.ts",
    "tests/crash/memory.test.ts",
    "tests/crash/repository-retries.test.ts",
    "tests/crash/repository-setup.test.ts",
    "tests/crash/repository-snapshots.test.ts",
    "tests/crash/saves.test.ts",
  ],
];

/** Returns the files without those of other days. */
export function filesOfTheDay(files: readonly string[], now = Date.now()): string[] {
  const others = LISTS.flatMap((list, place) => (isTodays(place, LISTS.length, now) ? [] : list));
  return files.filter((file) => !others.includes(file));
}
