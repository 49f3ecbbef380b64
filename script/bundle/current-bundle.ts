import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");
/**
 * The directory of bundles, one directory each: a service keeps loading from the bundle that it was started
 * from.
 */
export const BUNDLES = join(ROOT, "packages/cli/dist");
/** The file that names the bundle in use, with its sources. */
export const CURRENT_FILE = join(BUNDLES, "current.json");

export interface CurrentBundle {
  /** Its name in `BUNDLES`. */
  directory: string;
  /** The states of the sources when they were read, by path in the repository. */
  sources: Record<string, string>;
}

/**
 * Returns the directory of the bundle of the current sources; null if there is none. Takes about four
 * milliseconds.
 */
export function currentBundle(): string | null {
  try {
    const { directory, sources } = JSON.parse(readFileSync(CURRENT_FILE, "utf8")) as CurrentBundle;
    const isCurrent = Object.entries(sources).every(([path, state]) => sourceState(path) === state);
    return isCurrent ? join(BUNDLES, directory) : null;
  } catch {
    return null;
  }
}

/**
 * Returns a state that differs after every change. Only the kernel sets the ctime, so tools that preserve the
 * other times cannot fake it.
 */
export function sourceState(path: string): string {
  const { size, ctimeMs } = statSync(`${ROOT}/${path}`);
  return `${size} ${ctimeMs}`;
}
