import { WORKSPACE_DIRECTORIES } from "@berth/contract";
import { errors } from "@berth/store/errors";

/** @throws errors.pathOutside for a path outside the workspace's directories and the mount paths. */
export function requireWorkspacePath(path: string, mountPaths: readonly string[]): void {
  const isInside = [...WORKSPACE_DIRECTORIES, ...mountPaths].some(
    (directory) => path === directory || path.startsWith(`${directory}/`),
  );
  if (!isInside) throw errors.pathOutside(WORKSPACE_DIRECTORIES);
}
