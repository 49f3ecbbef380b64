import { access, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { giveToOwner } from "./give-to-owner.ts";

/**
 * Renames or links a content to its path below `root`, unless that exists already. The content's entry and every directory above it
 * are durably on disk when this resolves: whoever named one that exists may have died before it was.
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

/** As `installBlob`, but nothing is synced, and nothing may exist at the path. */
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

/** `root` and those below it, the nearest first. */
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
