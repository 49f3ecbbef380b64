import { randomBytes } from "node:crypto";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "./remove-tree.ts";

const SUFFIX = ".deleted";

/** Deletes the directory if it exists. Renames it first, so that a partial one never counts as whole. */
export async function removeAside(path: string): Promise<void> {
  const trash = await moveAside(path);
  if (trash !== null) await removeTree(trash);
}

/** Marks the directory for deletion by its name. Returns the new path, or null when it does not exist. */
export async function moveAside(path: string): Promise<string | null> {
  const trash = `${path}.${randomBytes(4).toString("hex")}${SUFFIX}`;
  try {
    await rename(path, trash);
    return trash;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return null;
  }
}

/** Deletes the directories that a process left when it died during a deletion. */
export async function removeTrash(directory: string, signal?: AbortSignal): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((entry) => entry.endsWith(SUFFIX)))
    await removeTree(join(directory, name), signal);
}
