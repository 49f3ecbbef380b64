import { spawnSync } from "node:child_process";
import { closeSync, fstatSync, openSync, statSync } from "node:fs";

/**
 * Locks a file with flock(2), and creates it when it is missing. Returns null when another descriptor holds
 * the lock. The lock belongs to a descriptor that this process keeps open, so the kernel releases it when the
 * process ends. It works across namespaces.
 * @throws when the file cannot be opened, or `flock` of util-linux is missing.
 */
export function lockFile(path: string): (() => void) | null {
  const descriptor = lockedDescriptor(path);
  return descriptor === null ? null : () => closeSync(descriptor);
}

/**
 * Locks a file as `lockFile` does, but returns the descriptor, which the caller closes. Child processes that
 * inherit it hold the lock too, until the last one closes it.
 */
export function lockedDescriptor(path: string): number | null {
  return lock(openSync(path, "a", 0o600), path, []);
}

/**
 * Takes a shared lock on an existing directory, which any number of processes can hold at once and which
 * excludes one that locks it for itself. Returns null when somebody does, or when the directory has been
 * replaced meanwhile. Otherwise as `lockFile`.
 */
export function lockDirectoryShared(path: string): (() => void) | null {
  const descriptor = lock(openSync(path, "r"), path, ["--shared"]);
  if (descriptor === null) return null;
  const release = () => closeSync(descriptor);
  if (statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino) return release;
  release();
  return null;
}

function lock(descriptor: number, path: string, options: readonly string[]): number | null {
  const { status, error } = spawnSync("flock", ["--nonblock", ...options, "3"], {
    stdio: ["ignore", "ignore", "ignore", descriptor],
  });
  if (status === 0) return descriptor;
  closeSync(descriptor);
  if (status === 1) return null;
  throw new Error(`${path} cannot be locked${error === undefined ? "" : `: ${error.message}`}.`);
}
