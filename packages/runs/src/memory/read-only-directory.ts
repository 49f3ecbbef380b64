import { mkdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Queryable } from "@berth/store/db";
import { readContents, readHeads } from "./memory-head-store.ts";

const BATCH_FILES = 50;

/** A store's memories as files on this machine, which sandboxes can read but not write. */
export class ReadOnlyDirectory {
  readonly #path: string;
  readonly #storeId: string;
  /** Hashes of the written contents, by path. */
  readonly #written = new Map<string, string>();

  /**
   * Creates the directory. Only this process writes to it, so resolving paths in it is safe.
   *
   * @param path emptied first.
   */
  static async open(path: string, storeId: string): Promise<ReadOnlyDirectory> {
    await rm(path, { recursive: true, force: true });
    await mkdir(dirname(path), { recursive: true, mode: 0o711 });
    await mkdir(path, { mode: 0o755 });
    return new ReadOnlyDirectory(path, storeId);
  }

  private constructor(path: string, storeId: string) {
    this.#path = path;
    this.#storeId = storeId;
  }

  /** Makes the files equal the present memories. */
  async refresh(db: Queryable): Promise<void> {
    const heads = await readHeads(db, this.#storeId);
    for (const path of this.#written.keys()) {
      if (heads.has(path)) continue;
      await rm(join(this.#path, path), { force: true });
      await removeEmpty(this.#path, dirname(path));
      this.#written.delete(path);
    }
    const differing = [...heads.values()].filter(
      ({ path, content_sha256: sha256 }) => this.#written.get(path) !== sha256,
    );
    for (let from = 0; from < differing.length; from += BATCH_FILES) {
      const paths = differing.slice(from, from + BATCH_FILES).map(({ path }) => path);
      for (const { path, content, content_sha256: sha256 } of await readContents(db, this.#storeId, paths)) {
        await this.#write(path, content);
        this.#written.set(path, sha256);
      }
    }
  }

  async #write(path: string, content: string): Promise<void> {
    const target = join(this.#path, path);
    const temporary = `${this.#path}.writing`;
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    await writeFile(temporary, content, { mode: 0o444 });
    await rename(temporary, target);
  }
}

/** Removes a directory and its empty parents, so that a file of that name can take its place. */
async function removeEmpty(directory: string, path: string): Promise<void> {
  for (let at = path; at !== "/"; at = dirname(at)) {
    const removed = await rmdir(join(directory, at)).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}
