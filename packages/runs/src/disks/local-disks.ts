import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { moveAside, removeTree } from "@berth/linux";
import type { Disks } from "@berth/sandbox";

/** Disks that are directories of this machine, named by their paths. The engine creates them. */
export class LocalDisks implements Disks {
  readonly place: string;
  readonly #directory: string;

  constructor(directory: string, place: string) {
    this.#directory = directory;
    this.place = place;
  }

  async has(path: string): Promise<boolean> {
    return existsSync(path);
  }

  async list(): Promise<string[]> {
    const names = await readdir(this.#directory).catch(() => []);
    return names.map((name) => join(this.#directory, name));
  }

  /** Moves the directory aside first, so that a half deleted directory is never taken for a whole one. */
  async takeAway(path: string): Promise<((signal?: AbortSignal) => Promise<void>) | null> {
    const trash = await moveAside(path);
    return trash === null ? null : (signal) => removeTree(trash, signal);
  }
}
