import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { shellScript } from "../scripts/read-script.ts";

const run = promisify(execFile);
const REMOVE = shellScript("system/remove-root-filesystem.sh");

/**
 * Removes every tree below a directory but the one that is named, and what builds that died have left. Called before any
 * sandbox is open. A tree that another process is making just now is left to it.
 */
export async function sweepRootFilesystems(directory: string, keep: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  const trees = new Set(names.map((name) => name.replace(/\.(making|lock)$/, "")));
  trees.delete(keep);
  for (const tree of trees) {
    const path = `${directory}/${tree}`;
    const held = ["--nonblock", "--conflict-exit-code", "0", `${path}.lock`];
    await run("flock", [...held, "sh", "-c", REMOVE, "sh", path]);
  }
}
