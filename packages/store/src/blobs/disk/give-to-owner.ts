import { lchown, lstat } from "node:fs/promises";

/**
 * Changes the owner of new files and directories to that of the store's directory. A service without root can
 * share the directory with one that runs as root, and must be able to read what that stores. Does nothing for
 * other users.
 */
export async function giveToOwner(paths: readonly string[], root: string): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await lstat(root);
  if (uid === 0) return;
  for (const path of paths) await lchown(path, uid, gid);
}
