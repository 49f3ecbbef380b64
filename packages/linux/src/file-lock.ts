import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/**
 * Locks a file, created when it is missing, with flock(2). The lock belongs to a descriptor that this process keeps open: the
 * kernel releases it when the process ends, and no namespace hides it. Returns null when another descriptor has the lock.
 *
 * @throws when the file cannot be opened, or `flock` of util-linux is missing.
 */
export function lockFile(path: string): (() => void) | null {
  const descriptor = lockedDescriptor(path);
  return descriptor === null ? null : () => closeSync(descriptor);
}

/**
 * As `lockFile`, but returns the descriptor, to be closed by the caller. A process that inherits it has the lock as well, until
 * the last one has closed it.
 */
export function lockedDescriptor(path: string): number | null {
  const descriptor = openSync(path, "a", 0o600);
  const { status, error } = spawnSync("flock", ["--nonblock", "3"], {
    stdio: ["ignore", "ignore", "ignore", descriptor],
  });
  if (status === 0) return descriptor;
  closeSync(descriptor);
  if (status === 1) return null;
  throw new Error(`${path} cannot be locked${error === undefined ? "" : `: ${error.message}`}.`);
}
