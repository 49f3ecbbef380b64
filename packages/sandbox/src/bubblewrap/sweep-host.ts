import { readdir, readFile, rm } from "node:fs/promises";
import { ownerLives, ownerOf } from "../host/owner.ts";
import { removeAll } from "../host/remove-all.ts";
import { Cgroups } from "./cgroup/cgroups.ts";

/** What an engine's process has left when it died, or could not take away while it lived. */
export interface Leftovers {
  stateDir: string;
  /** The living owner that sweeps; see `ownerName`. Its own things are left alone, but those in `own`. */
  owner: string;
  cgroups: Cgroups;
  /** Sandboxes of this process that are gone but for these: name of the control group to generated directory. */
  own: Map<string, string>;
}

/**
 * Kills and removes what processes that are dead have left: the members of their groups, the groups, what they generated.
 * Mounts, loop devices and network namespaces need no sweep: they lie in namespaces that end with their processes.
 *
 * Each thing is tried whatever becomes of the others, and it may be cut short anywhere: a directory of a dead process goes
 * after its groups, since it tells where those are.
 *
 * @throws SandboxError that counts what could not be removed.
 */
export async function sweepHost({ stateDir, owner, cgroups, own }: Leftovers): Promise<void> {
  const stale = async (name: string) => {
    const made = ownerOf(name);
    return /^\d+-\d+$/.test(made) && made !== owner && !(await ownerLives(made));
  };
  const directories = await readdir(stateDir).catch(() => []);
  await removeAll([
    ...directories.map(async (name) => {
      if (await stale(name)) await removeOwner(`${stateDir}/${name}`, stale);
    }),
    ...[...own].map(async ([name, directory]) => {
      await cgroups.destroy(name);
      await rm(directory, { recursive: true, force: true });
      own.delete(name);
    }),
    cgroups.destroyAll(stale),
  ]);
}

/** A process that ran in another group than this one made its own below that. */
async function removeOwner(directory: string, stale: (name: string) => Promise<boolean>): Promise<void> {
  const parents = (await readFile(`${directory}/groups`, "utf8").catch(() => "")).split("\n");
  const former = Cgroups.in(parents.filter(Boolean));
  await former.destroyAll(stale);
  await former.close();
  await rm(directory, { recursive: true, force: true });
}
