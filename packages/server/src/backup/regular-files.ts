import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "@berth/store/errors";

/**
 * Yields the paths of all files of a backup, relative to it, in order.
 * @throws InputError for a link, pipe, socket or device: Berth creates none, so somebody has altered the
 * backup.
 */
export async function* regularFiles(directory: string, below = ""): AsyncGenerator<string> {
  const entries = await readdir(join(directory, below), { withFileTypes: true });
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(below, entry.name);
    if (entry.isDirectory()) yield* regularFiles(directory, path);
    else if (entry.isFile()) yield path;
    else
      throw new InputError(
        `${join(directory, path)} is neither a file nor a directory: the backup was altered after it was made.`,
      );
  }
}

/** Requires that a backup has only regular files and directories. @throws InputError, see `regularFiles`. */
export async function requireRegularFiles(directory: string): Promise<void> {
  for await (const _ of regularFiles(directory));
}
