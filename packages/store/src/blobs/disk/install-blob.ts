import { access, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { giveToOwner } from "./give-to-owner.ts";

/**
 * Renames or links a content to its path below `root`, unless that exists. The content's entry and every
 * directory above it are durable when this resolves. They are synced even for an existing path, whose creator
 * may have died before syncing.
 */
export async function installBlob(
  renameOrLink: (from: string, to: string) => Promise<void>,
  from: string,
  path: string,
  root: string,
): Promise<void> {
  if (!(await exists(path))) await nameBlob(renameOrLink, from, path, root);
  for (const directory of directoriesOf(path, root)) await syncDirectory(directory);
}

/**
 * Renames or links a content as `installBlob` does, but syncs nothing and requires that the path does not
 * exist.
 */
export async function nameBlob(
  renameOrLink: (from: string, to: string) => Promise<void>,
  from: string,
  path: string,
  root: string,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await giveToOwner([...directoriesOf(path, root).slice(0, -1), from], root);
  await renameOrLink(from, path);
}

/** Returns the path's directories up to and including `root`, the nearest first. */
export function directoriesOf(path: string, root: string): string[] {
  const directory = dirname(path);
  return directory === root ? [root] : [directory, ...directoriesOf(directory, root)];
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  await directory.sync().finally(() => directory.close());
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
