import { lchown, lstat } from "node:fs/promises";

/**
 * Gives what this process made below a directory to the owner of the directory: a service without root, which shares the directory
 * with one that has root, has to read what that stores. Does nothing for other users.
 */
export async function giveToOwner(paths: readonly string[], root: string): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await lstat(root);
  if (uid === 0) return;
  for (const path of paths) await lchown(path, uid, gid);
}
