import { mkdir } from "node:fs/promises";
import { posix } from "node:path";
import { stateOfProcess } from "@berth/linux";
import { SandboxError } from "../interface/errors.ts";

/**
 * Returns whether a name belongs to a process that is gone. Control groups, containers and directories are
 * named after the process that made them (`thisProcess`). Other names belong to no process and are not
 * leftovers.
 *
 * @param sole Whether this process is the only one that may use things of processes elsewhere; see
 * `BubblewrapOptions.sole`.
 */
export function isLeftover(name: string, sole: boolean): boolean {
  const state = stateOfProcess(name);
  return state === "dead" || (state === "elsewhere" && sole);
}

/**
 * Makes the directory `PREFIX.0`, or that with the next free number, because each engine of a process has its
 * own. Returns its path.
 */
export async function freshDirectory(prefix: string): Promise<string> {
  for (let number = 0; ; number++) {
    const path = `${prefix}.${number}`;
    const made = await mkdir(path, { mode: 0o711 }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
        return false;
      },
    );
    if (made) return posix.normalize(path);
  }
}

/** Waits for all removals. @throws SandboxError with the number of those that failed. */
export async function removeAll(removals: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(removals);
  const failed = results.filter((result) => result.status === "rejected");
  if (failed.length === 0) return;
  const cause = failed[0]?.reason;
  throw new SandboxError(`${failed.length} of what dead sandboxes left could not be removed`, { cause });
}
