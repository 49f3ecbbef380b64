/** Test files that take minutes, mostly waiting. They start before all others. */
export const LONGEST: readonly string[] = [
  "packages/sandbox/src/bubblewrap/bubblewrap.test.ts",
  "tests/acceptance/scenarios/reference.test.ts",
  "tests/acceptance/scenarios/contents-in-s3.test.ts",
  "tests/acceptance/scenarios/backups.test.ts",
  "tests/acceptance/scenarios/limits.test.ts",
  "tests/acceptance/scenarios/saves.test.ts",
  "tests/acceptance/scenarios/homes.test.ts",
  "tests/acceptance/scenarios/service-stop.test.ts",
  "tests/crash/idle-summary.test.ts",
];

/**
 * Folders with the longest files, which begin early, so that none of them runs alone at the end. The
 * sandbox's files make a root filesystem that a test of `tests/proof` uses.
 */
const FIRST = ["packages/sandbox/", "tests/"];

/**
 * The distance at which files of one folder begin, since they need the same resources, such as clusters or
 * browsers.
 */
const APART = 12;

/** Returns files, which are sorted by path, in an order with a short total time. */
export function inOrder(files: readonly string[]): string[] {
  const rank = (file: string): number => {
    const place = FIRST.findIndex((folder) => file.startsWith(folder));
    return place === -1 ? FIRST.length : place;
  };
  return Object.values(Object.groupBy(files, rank)).flatMap((group = []) => apart(group));
}

function apart(files: readonly string[]): string[] {
  return Array.from({ length: APART }, (_, first) =>
    files.filter((_, place) => place % APART === first),
  ).flat();
}
