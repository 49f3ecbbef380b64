import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LONGEST } from "./order-of-files.ts";
import { partOf } from "./test-parts.ts";

const SCENARIOS = "tests/acceptance/scenarios/";

/**
 * The functions that scenarios get a shared service from. Scenarios that call the same one run in one
 * process.
 */
const SHARES_SERVICE = /await (shared\w*Service)\(/;

/** Hooks outside of a suite that would be called for each test of all files of their process. */
const OWN_HOOKS = /^(beforeEach|afterEach)\(/m;

/** Measurements of a whole process, which the tests of other files would change. */
const MEASURES_PROCESS = /process\.(memoryUsage|cpuUsage|resourceUsage)|\/proc\/self\/(fd|task)/;

/** The most files of a process. With more, some processes would run alone at the end. */
const MOST_FILES = 16;

/**
 * Divides test files into those that run in one process. Most of the time of a short file is that of its
 * process: its start, and the modules that it loads.
 *
 * @param files their paths from `root`, in the order in which those begin that run alone.
 */
export function testJobs(files: readonly string[], root: string): string[][] {
  const groups = Map.groupBy(files, (file) => groupOf(file, readFileSync(join(root, file), "utf8")));
  const alone = (groups.get(null) ?? []).map((file) => [file]);
  groups.delete(null);
  const together = [...groups.values()].flatMap((group) => inParts(group.toSorted()));
  const isLong = ([file = ""]: readonly string[]) => LONGEST.includes(file);
  // Long files start first, so that short ones are left for the end.
  return [...alone.filter(isLong), ...together, ...alone.filter((job) => !isLong(job))];
}

/** Returns a key that is equal for files that may run in one process; null for a file that runs alone. */
function groupOf(file: string, text: string): string | null {
  if (LONGEST.includes(file) || OWN_HOOKS.test(text) || MEASURES_PROCESS.test(text)) return null;
  if (file.startsWith(SCENARIOS)) return SHARES_SERVICE.exec(text)?.[1] ?? null;
  // Files of the rest take long, or use what only one at a time may use.
  const [folder, name = ""] = file.split("/");
  return folder === "packages" && partOf(file) === "each-time" ? name : null;
}

/** Divides into the fewest parts. Neighbours, which often take the same time, are in different ones. */
function inParts(files: readonly string[]): string[][] {
  const parts = Math.ceil(files.length / MOST_FILES);
  return Array.from({ length: parts }, (_, part) => files.filter((_, place) => place % parts === part));
}
