import { readdir, readFile, rm } from "node:fs/promises";
import { Cgroups } from "../host/cgroup/cgroups.ts";
import { isLeftover, removeAll } from "../host/leftovers.ts";

/** The remains of dead processes of an engine, and what this process failed to remove. */
export interface Leftovers {
  stateDir: string;
  /** See `BubblewrapOptions.sole`. */
  sole: boolean;
  cgroups: Cgroups;
  /** Leftovers of closed sandboxes of this process: generated directory by control group name. */
  own: Map<string, string>;
}

/**
 * Removes what dead processes left: the members of their control groups, the groups, and generated files.
 * Mounts, loop devices and network namespaces need no sweep, because they belong to namespaces that end with
 * their processes.
 *
 * A failure does not stop the rest, and the sweep may be interrupted anywhere. The directory of a dead
 * process is removed after its groups, since it contains their paths.
 *
 * @throws SandboxError with the number of failures.
 */
export async function sweepHost({ stateDir, sole, cgroups, own }: Leftovers): Promise<void> {
  const stale = (name: string) => isLeftover(name, sole);
  const directories = await readdir(stateDir).catch(() => []);
  await removeAll([
    ...directories.map(async (name) => {
      if (stale(name)) await removeOwner(`${stateDir}/${name}`, stale);
    }),
    ...[...own].map(async ([name, directory]) => {
      await cgroups.destroy(name);
      await rm(directory, { recursive: true, force: true });
      own.delete(name);
    }),
    cgroups.destroyAll(stale),
  ]);
}

/**
 * Removes the groups and directory of a dead process. It may have made its groups below another control group
 * than this process.
 */
async function removeOwner(directory: string, stale: (name: string) => boolean): Promise<void> {
  const parents = (await readFile(`${directory}/groups`, "utf8").catch(() => "")).split("\n");
  const former = Cgroups.in(parents.filter(Boolean));
  await former.destroyAll(stale);
  await former.close();
  await rm(directory, { recursive: true, force: true });
}
