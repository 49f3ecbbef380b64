import { mkdir } from "node:fs/promises";
import { posix } from "node:path";
import { processStart } from "@berth/linux";
import { SandboxError } from "../interface/errors.ts";

/**
 * Identifies a process as no later process can be: by its pid and the clock tick at which it started. Control groups,
 * containers and directories carry it, so that a sweep can tell the leftovers of a dead server from those of a running one.
 */
export async function ownerName(pid = process.pid): Promise<string> {
  return `${pid}-${processStart(pid) ?? ""}`;
}

/** The owner in a name: several engines of one process add a number after a dot. */
export function ownerOf(name: string): string {
  return name.split(".")[0] ?? "";
}

/** Whether the process of this name still runs. A name of another form has no owner. */
export async function ownerLives(name: string): Promise<boolean> {
  const parts = /^(\d+)-(\d+)$/.exec(name);
  if (!parts) return false;
  return processStart(Number(parts[1])) === parts[2];
}

/** Makes `PREFIX.0`, or the next free number: each engine of a process has a directory. */
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
