import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { CONTENTS } from "./content-places.ts";
import type { PipeConnection } from "./pipe-connection.ts";
import { CONTENT } from "./pod-body.ts";

/** Number of files that are sent concurrently. */
const AT_ONCE = 8;

/**
 * Sends what a session brings to a pod that was made without it, and records its digest there.
 *
 * @param directory Host directory with the contents, by their names in the volume.
 */
export async function sendContents(
  connection: PipeConnection,
  directory: string,
  digest: string,
): Promise<void> {
  const files: string[] = [];
  for (const name of CONTENTS) await collect(connection, directory, name, files);
  const send = async () => {
    for (let path = files.pop(); path !== undefined; path = files.pop()) {
      const { mode } = await stat(join(directory, path));
      await connection.place(`${CONTENT}/${path}`, mode & 0o777, createReadStream(join(directory, path)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  connection.note(digest);
}

async function collect(
  connection: PipeConnection,
  directory: string,
  path: string,
  files: string[],
): Promise<void> {
  connection.makeDirectory(`${CONTENT}/${path}`);
  for (const entry of await readdir(join(directory, path), { withFileTypes: true }).catch(() => [])) {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) await collect(connection, directory, below, files);
    else if (entry.isFile()) files.push(below);
  }
}
