import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const removing = new Map<string, Promise<unknown>>();

/**
 * Removes a tree with the system's `rm`, which walks by descriptors: it follows no link, and removes trees deeper than the longest
 * path, which an agent can make and which Node's `rm` does not remove. Two at once in one tree would fail, so a removal that
 * this process has begun is awaited first.
 *
 * @param signal kills the `rm` of this call.
 */
export async function removeTree(path: string, signal?: AbortSignal): Promise<void> {
  for (let other = removing.get(path); other !== undefined; other = removing.get(path))
    await other.catch(() => {});
  if (!existsSync(path)) return;
  const own = promisify(execFile)("rm", ["-rf", "--one-file-system", "--", path], { signal });
  removing.set(path, own);
  await own.finally(() => removing.delete(path));
}
