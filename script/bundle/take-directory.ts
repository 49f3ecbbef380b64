import { globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Milliseconds after which a command of a bundle, without a child process, is assumed to have ended. */
const KEPT_MS = 3_600_000;

/**
 * Makes an empty directory for a bundle, for this caller alone, and returns its name, the first free number.
 * A number becomes free when its directory is an hour old and no process runs from it. Until then it is kept,
 * since a service loads parts of its bundle on demand.
 */
export function takeDirectory(bundles: string): string {
  mkdirSync(bundles, { recursive: true });
  for (let number = 1; ; number++) {
    const path = join(bundles, `${number}`);
    removeUnused(path);
    try {
      mkdirSync(path);
      return `${number}`;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function removeUnused(path: string): void {
  const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
  if (made > Date.now() - KEPT_MS || isRunning(path)) return;
  const removed = `${path}.removed-${process.pid}`;
  renameSync(path, removed);
  rmSync(removed, { recursive: true });
}

/**
 * Whether a process was started with a program in the directory. Every service has such a process, its
 * runner.
 */
function isRunning(path: string): boolean {
  return globSync("/proc/[0-9]*/cmdline").some((file) => {
    try {
      return readFileSync(file, "latin1").includes(`${path}/`);
    } catch {
      return false;
    }
  });
}
