import { basename, dirname } from "node:path/posix";
import { isBelow } from "../inside/mounts.ts";

/** Directory in the sandbox with git's system configuration, which its `/etc/gitconfig` includes. */
export const GIT_INSIDE = "/opt/berth/git";

/** Text of every pod's `/etc/gitconfig`; the rest comes with the session. */
export const GIT_INCLUDE = `[include]\n\tpath = ${GIT_INSIDE}/config\n`;

/**
 * The entries of the contents volume that a session brings. A pod of the pool receives them when it is taken.
 */
export const CONTENTS = ["uploads", "files", "directories", "common", "git"] as const;

/** Read-only directories of every pod below which a session has its own, so that these need no mount. */
const PARENTS = ["/mnt/skills", "/mnt/memory"] as const;

/** Returns the path in the contents volume of what lies below such a parent. */
export function commonPath(parent: string): string {
  return `common/${basename(parent)}`;
}

/**
 * Returns the parents of a pod with these writable directories. One below a writable directory is left out,
 * since a mount there would follow the agent's links.
 */
export function commonParents(writable: readonly string[]): string[] {
  return PARENTS.filter((parent) => !writable.some((directory) => isBelow(parent, directory)));
}

/**
 * Returns the path in the contents volume of a directory with this target, and whether it needs no mount of
 * its own.
 */
export function placeOf(target: string, index: number): { path: string; isCommon: boolean } {
  const parent = PARENTS.find((one) => one === dirname(target));
  return parent === undefined
    ? { path: `directories/${index}`, isCommon: false }
    : { path: `${commonPath(parent)}/${basename(target)}`, isCommon: true };
}

/**
 * Returns the directories of the contents volume that must exist before a pod with these writable directories
 * starts, because something is mounted there.
 */
export function mountPoints(writable: readonly string[]): string[] {
  const below = PARENTS.flatMap((parent) =>
    writable
      .filter((path) => isBelow(path, parent) && path !== parent)
      .map((path) => path.replace(parent, commonPath(parent))),
  );
  return ["git", ...PARENTS.map(commonPath), ...below];
}
