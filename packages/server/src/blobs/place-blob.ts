import { access, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Gives a content its place below `root`, by a rename or a link of where it is, unless it is there already. That and every
 * new directory are on disk when this resolves.
 */
export async function placeBlob(
  how: (from: string, to: string) => Promise<void>,
  from: string,
  path: string,
  root: string,
): Promise<void> {
  if (await exists(path)) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await how(from, path);
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    await syncDirectory(directory);
    if (directory === root) return;
  }
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
