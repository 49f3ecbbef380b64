import { access, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { giveToOwner } from "./give-to-owner.ts";

/**
 * Renames or links a content to its path below `root`, unless that exists already. The content's entry and every new directory
 * are durably on disk when this resolves.
 */
export async function installBlob(
  renameOrLink: (from: string, to: string) => Promise<void>,
  from: string,
  path: string,
  root: string,
): Promise<void> {
  if (await exists(path)) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await giveToOwner([...directoriesAbove(path, root), from], root);
  await renameOrLink(from, path);
  for (const directory of [...directoriesAbove(path, root), root]) await syncDirectory(directory);
}

/** Those below `root`, the nearest first. */
function directoriesAbove(path: string, root: string): string[] {
  const directory = dirname(path);
  return directory === root ? [] : [directory, ...directoriesAbove(directory, root)];
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  await directory.sync().finally(() => directory.close());
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
