import { globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** A command that runs from a bundle and has no child process of it has ended by then. */
const KEPT_MS = 3_600_000;

/**
 * Makes an empty directory for a bundle, for this caller alone, and returns its name: the first number that is free. One is free
 * again when it is an hour old and no process was started from it: a service loads parts of its bundle when it first needs them.
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

/** Whether a process was started with a program of the directory. Every service has one: its runner. */
function isRunning(path: string): boolean {
  return globSync("/proc/[0-9]*/cmdline").some((file) => {
    try {
      return readFileSync(file, "latin1").includes(`${path}/`);
    } catch {
      return false;
    }
  });
}
