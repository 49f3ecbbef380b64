import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { mapAtOnce } from "@berth/concurrency";
import { processName } from "@berth/linux";
import { directoriesOf, exists, nameBlob, syncDirectory } from "./install-blob.ts";

/** Contents that are written at once: the size of Node.js's thread pool. */
const AT_ONCE = 4;

/**
 * Stores contents at their paths below `root`, unless they exist. They and every new directory are durable
 * when this resolves; each directory is synced once for all of them.
 * @param staged A directory on the same filesystem.
 */
export async function installAll(
  contents: ReadonlyMap<string, Buffer>,
  staged: string,
  root: string,
): Promise<void> {
  await mapAtOnce(AT_ONCE, [...contents], async ([path, bytes]) => {
    if (!(await exists(path))) await install(bytes, join(staged, processName(randomUUID())), path, root);
  });
  const directories = new Set([...contents.keys()].flatMap((path) => directoriesOf(path, root)));
  await mapAtOnce(AT_ONCE, [...directories], syncDirectory);
}

async function install(bytes: Buffer, temporary: string, path: string, root: string): Promise<void> {
  try {
    await write(temporary, bytes);
    await nameBlob(rename, temporary, path, root);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function write(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
