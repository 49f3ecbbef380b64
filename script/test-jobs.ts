import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Packages whose test files run together in a process: they start nothing that one of them alone may use. */
const TOGETHER = [
  "agent",
  "api",
  "concurrency",
  "console",
  "contract",
  "egress",
  "linux",
  "sdk",
  "store",
].map((name) => `packages/${name}/`);

/** A scenario that shares its service with others: those of one process. */
const SHARES_SERVICE = /await sharedService\(\)/;

/** Hooks outside of a suite. They would be called for the tests of all files of their process. */
const OWN_HOOKS = /^(before|beforeEach|afterEach)\(/m;

/** Measurements of a whole process, which the tests of other files would change. */
const MEASURES_PROCESS = /process\.(memoryUsage|cpuUsage|resourceUsage)/;

/** The most files of a process. With more, some processes would run alone at the end. */
const MOST_FILES = 16;

/**
 * Divides test files into those that run in one process. Most of the time of a short file is that of its
 * process: its start, and the modules that it loads.
 *
 * @param files their paths from `root`, in the order in which they begin.
 */
export function testJobs(files: readonly string[], root: string): string[][] {
  const isShared = (file: string): boolean => {
    const text = readFileSync(join(root, file), "utf8");
    const isTogether = TOGETHER.some((folder) => file.startsWith(folder)) || SHARES_SERVICE.test(text);
    return isTogether && !OWN_HOOKS.test(text) && !MEASURES_PROCESS.test(text);
  };
  const shared = Object.values(Object.groupBy(files.filter(isShared), packageOf));
  const alone = files.filter((file) => !isShared(file)).map((file) => [file]);
  return [...alone, ...shared.flatMap((group = []) => inParts(group.toSorted()))];
}

function packageOf(file: string): string {
  return file.split("/")[1] ?? "";
}

/** Divides into the fewest parts. Neighbours, which often take the same time, are in different ones. */
function inParts(files: readonly string[]): string[][] {
  const parts = Math.ceil(files.length / MOST_FILES);
  return Array.from({ length: parts }, (_, part) => files.filter((_, place) => place % parts === part));
}
