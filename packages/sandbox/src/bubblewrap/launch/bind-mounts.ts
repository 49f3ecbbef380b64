import { statSync } from "node:fs";
import { isBelow } from "../../inside/disk.ts";
import { SandboxError } from "../../interface/errors.ts";

/** A host directory and the place where a private mount namespace shows it. */
export interface BindMount {
  from: string;
  at: string;
}

/** Directories that every host has, that are empty or unused by a sandbox, and that any uid can reach. */
const POINTS = ["/mnt", "/media", "/srv", "/opt", "/home", "/boot"];

/**
 * Plans where to show directories that lie below ones which only root may enter, such as a data directory of mode
 * 0700, so that bwrap reaches them as an unprivileged uid. `reach` turns a path below them into the one to use.
 */
export function planBindMounts(directories: readonly string[]): {
  bindMounts: BindMount[];
  reach: (path: string) => string;
} {
  const free = POINTS.filter(
    (point) => isDirectory(point) && !directories.some((path) => isBelow(path, point)),
  );
  const bindMounts = directories.map((from, index) => {
    const at = free[index];
    if (at === undefined)
      throw new SandboxError(`the host needs ${directories.length} of the directories ${POINTS.join(", ")}`);
    return { from, at };
  });
  const reach = (path: string) => {
    const stage = bindMounts.find(({ from }) => isBelow(path, from));
    return stage ? `${stage.at}${path.slice(stage.from.length)}` : path;
  };
  return { bindMounts, reach };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
