import { cp, mkdir, open, readdir, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { MountedDirectory } from "../interface/spec.ts";
import { placeOf } from "./content-places.ts";
import type { PipeConnection } from "./pipe-connection.ts";
import { CONTENT } from "./pod-body.ts";

/** A version of each file, by its path below the directory, which changes with the content. */
type Versions = Map<string, string>;

interface Copy extends MountedDirectory {
  /** Path in the container beside the sandbox. */
  path: string;
  sent: Versions;
}

/** The copies of host directories in a pod. */
export class PodDirectories {
  readonly #copies: readonly Copy[];

  private constructor(copies: readonly Copy[]) {
    this.#copies = copies;
  }

  /**
   * Copies the directories in their current state.
   *
   * @param to Host directory from which they are sent to the pod.
   */
  static async copy(directories: readonly MountedDirectory[], to: string): Promise<PodDirectories> {
    const copies = directories.map(async ({ source, target }, index) => {
      const sent = await versionsIn(source);
      const { path } = placeOf(target, index);
      await mkdir(dirname(`${to}/${path}`), { recursive: true });
      await cp(source, `${to}/${path}`, { recursive: true, verbatimSymlinks: true });
      return { source, target, path: `${CONTENT}/${path}`, sent };
    });
    return new PodDirectories(await Promise.all(copies));
  }

  /** Sends the files that have changed, each as a whole, and removes deleted ones. */
  async refresh(target: string, connection: PipeConnection): Promise<void> {
    const copy = this.#copies.find((one) => one.target === target);
    if (copy === undefined) return;
    const now = await versionsIn(copy.source);
    for (const path of copy.sent.keys()) if (!now.has(path)) await connection.remove(`${copy.path}/${path}`);
    for (const [path, version] of now) {
      if (copy.sent.get(path) === version) continue;
      const file = await open(join(copy.source, path));
      const { mode } = await file.stat();
      await connection.place(`${copy.path}/${path}`, mode & 0o777, file.createReadStream());
    }
    copy.sent = now;
  }
}

async function versionsIn(directory: string): Promise<Versions> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const versions = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      const { ino, size, mtimeNs } = await stat(path, { bigint: true });
      return [relative(directory, path), `${ino} ${size} ${mtimeNs}`] as const;
    });
  return new Map(await Promise.all(versions));
}
