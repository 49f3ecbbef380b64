import { constants } from "node:fs";
import { chmod, chown, copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

interface Options {
  signal?: AbortSignal | undefined;
  /** Returns true for a path to skip, relative to the root of the tree. */
  leaveOut?: (path: string) => boolean;
}

/**
 * Copies the directories and regular files of a tree that may change meanwhile; files that vanish are
 * skipped. Links and special files are not copied. Only this process's user can access the copies. They are
 * durable only after a sync of the filesystem.
 * @throws the signal's reason when it aborts.
 */
export async function copyTree(from: string, to: string, options: Options = {}): Promise<void> {
  await copyBelow({ from, to, path: "", ...options });
}

async function copyBelow(at: Options & { from: string; to: string; path: string }): Promise<void> {
  const { from, to, path, signal, leaveOut } = at;
  await mkdir(join(to, path), { recursive: true, mode: 0o700 });
  for (const entry of await ifPresent(readdir(join(from, path), { withFileTypes: true }), [])) {
    signal?.throwIfAborted();
    const below = path === "" ? entry.name : `${path}/${entry.name}`;
    if (leaveOut?.(below)) continue;
    if (entry.isDirectory()) await copyBelow({ ...at, path: below });
    else if (entry.isFile()) await ifPresent(copyOne(join(from, below), join(to, below)), undefined);
  }
}

/** Resets owner and mode, which `copyFile` keeps. */
async function copyOne(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  await chown(to, process.geteuid?.() ?? 0, process.getegid?.() ?? 0);
  await chmod(to, 0o600);
}

async function ifPresent<T>(work: Promise<T>, otherwise: T): Promise<T> {
  return await work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return otherwise;
    throw error;
  });
}
