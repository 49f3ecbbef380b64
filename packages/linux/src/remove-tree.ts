import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const removing = new Map<string, Promise<unknown>>();

/**
 * Removes a tree with the system's `rm`. It follows no link, and removes trees deeper than the longest path,
 * which an agent can create and Node's `rm` cannot remove. Two removals of one tree at once would fail, so
 * this first waits for one that the process has begun.
 * @param signal Kills the `rm` of this call.
 */
export async function removeTree(path: string, signal?: AbortSignal): Promise<void> {
  for (let other = removing.get(path); other !== undefined; other = removing.get(path))
    await other.catch(() => {});
  if (!existsSync(path)) return;
  const own = promisify(execFile)("rm", ["-rf", "--one-file-system", "--", path], { signal });
  removing.set(path, own);
  await own.finally(() => removing.delete(path));
}
