import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const removing = new Map<string, Promise<unknown>>();

/**
 * By the system's `rm`, which goes down by descriptors: it follows no link, and removes trees deeper than a path can be
 * long, which an agent can make and which Node's own `rm` leaves behind. Two of them in one tree would fail, so one that this
 * process is removing already is waited for.
 *
 * @param signal kills the `rm` that is run for this call.
 */
export async function removeTree(path: string, signal?: AbortSignal): Promise<void> {
  for (let other = removing.get(path); other !== undefined; other = removing.get(path))
    await other.catch(() => {});
  if (!existsSync(path)) return;
  const own = promisify(execFile)("rm", ["-rf", "--one-file-system", "--", path], { signal });
  removing.set(path, own);
  await own.finally(() => removing.delete(path));
}
