import { mkdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Queryable } from "../../db/statement.ts";
import { readContents, readHeads } from "./store-heads.ts";

/** A store's memories as files of this machine, which a sandbox sees and cannot write. */
export interface ReadOnlyDirectory {
  /** Makes the files what the memories are now. */
  refresh(db: Queryable): Promise<void>;
}

const AT_ONCE = 50;

/**
 * Makes a directory that nobody but this process writes, so that paths in it can be resolved here.
 *
 * @param directory is emptied first.
 */
export async function openReadOnlyDirectory(directory: string, storeId: string): Promise<ReadOnlyDirectory> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(dirname(directory), { recursive: true, mode: 0o711 });
  await mkdir(directory, { mode: 0o755 });
  const held = new Map<string, string>();

  async function put(path: string, content: string): Promise<void> {
    const target = join(directory, path);
    const temporary = `${directory}.writing`;
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    await writeFile(temporary, content, { mode: 0o444 });
    await rename(temporary, target);
  }

  return {
    async refresh(db) {
      const heads = await readHeads(db, storeId);
      for (const path of held.keys()) {
        if (heads.has(path)) continue;
        await rm(join(directory, path), { force: true });
        await removeEmpty(directory, dirname(path));
        held.delete(path);
      }
      const differing = [...heads.values()].filter(
        ({ path, content_sha256: sha256 }) => held.get(path) !== sha256,
      );
      for (let from = 0; from < differing.length; from += AT_ONCE) {
        const paths = differing.slice(from, from + AT_ONCE).map(({ path }) => path);
        for (const { path, content, content_sha256: sha256 } of await readContents(db, storeId, paths)) {
          await put(path, content);
          held.set(path, sha256);
        }
      }
    },
  };
}

/** A directory without files gives its place to a file of that name. */
async function removeEmpty(directory: string, path: string): Promise<void> {
  for (let at = path; at !== "/"; at = dirname(at)) {
    const removed = await rmdir(join(directory, at)).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}
