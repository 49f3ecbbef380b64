import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Removes every tree below a directory but the one that is named, and what builds that died have left. Called before any
 * sandbox is open. A tree that another process is making just now is left to it.
 */
export async function sweepTrees(directory: string, keep: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  const trees = new Set(names.map((name) => name.replace(/\.(making|lock)$/, "")));
  trees.delete(keep);
  for (const tree of trees) {
    const path = `${directory}/${tree}`;
    const held = ["--nonblock", "--conflict-exit-code", "0", `${path}.lock`];
    await run("flock", [...held, "sh", "-c", REMOVE, "sh", path]);
  }
}

/** Under another name first, so that a tree that is only half removed is never taken for one. */
const REMOVE = `set -e
if [ -d "$1" ]; then rm -rf --one-file-system -- "$1.making"; mv -T -- "$1" "$1.making"; fi
rm -rf --one-file-system -- "$1.making" "$1.lock"`;
