import { statSync } from "node:fs";
import { isBelow } from "../../inside/mounts.ts";
import { SandboxError } from "../../interface/errors.ts";

/** A host directory, and the path at which a private mount namespace shows it. */
export interface BindMount {
  from: string;
  at: string;
}

/** Directories that every host has, that no sandbox uses, and that any uid can reach. */
const MOUNT_POINTS = ["/mnt", "/media", "/srv", "/opt", "/home", "/boot", "/var/opt", "/var/local"];

/**
 * Chooses where to bind mount directories whose parents only root may enter, such as a data directory of mode
 * 0700. There bwrap reaches them as an unprivileged uid. `reach` translates a path below such a directory.
 * Throws `SandboxError` when the host has too few free mount points.
 */
export function planBindMounts(directories: readonly string[]): {
  bindMounts: BindMount[];
  reach: (path: string) => string;
} {
  const free = MOUNT_POINTS.filter(
    (point) => isDirectory(point) && !directories.some((path) => isBelow(path, point)),
  );
  const bindMounts = directories.map((from, index) => {
    const at = free[index];
    if (at === undefined)
      throw new SandboxError(
        `the host needs ${directories.length} of the directories ${MOUNT_POINTS.join(", ")}`,
      );
    return { from, at };
  });
  const reach = (path: string) => {
    const mount = bindMounts.find(({ from }) => isBelow(path, from));
    return mount ? `${mount.at}${path.slice(mount.from.length)}` : path;
  };
  return { bindMounts, reach };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
