import { basename, dirname } from "node:path/posix";
import { isBelow } from "../inside/mounts.ts";

/** Where the sandbox has the directory with git's system configuration, which its `/etc/gitconfig` includes. */
export const GIT_INSIDE = "/opt/berth/git";

/** What every pod's `/etc/gitconfig` says: the rest comes with the session. */
export const GIT_INCLUDE = `[include]\n\tpath = ${GIT_INSIDE}/config\n`;

/** What a session brings that is kept in the volume for contents. A pod of the pool gets it when it is taken. */
export const CONTENTS = ["uploads", "files", "directories", "common", "git"] as const;

/** Read-only directories of every pod below which a session has its own, so that they need no mount. */
const PARENTS = ["/mnt/skills", "/mnt/memory"] as const;

/** Where the volume for contents has what lies below such a parent. */
export function commonPath(parent: string): string {
  return `common/${basename(parent)}`;
}

/** Those that a pod with these writable directories has: a mount below one would follow the agent's links. */
export function commonParents(writable: readonly string[]): string[] {
  return PARENTS.filter((parent) => !writable.some((directory) => isBelow(parent, directory)));
}

/** Where a directory that is mounted at the target is in the volume for contents, and whether that needs no mount of its own. */
export function placeOf(target: string, index: number): { path: string; isCommon: boolean } {
  const parent = PARENTS.find((one) => one === dirname(target));
  return parent === undefined
    ? { path: `directories/${index}`, isCommon: false }
    : { path: `${commonPath(parent)}/${basename(target)}`, isCommon: true };
}

/** The directories of the volume for contents that have to be there before a pod with these writable ones starts: something is mounted there. */
export function mountPoints(writable: readonly string[]): string[] {
  const below = PARENTS.flatMap((parent) =>
    writable
      .filter((path) => isBelow(path, parent) && path !== parent)
      .map((path) => path.replace(parent, commonPath(parent))),
  );
  return ["git", ...PARENTS.map(commonPath), ...below];
}
