import { readdir, readlink, rmdir } from "node:fs/promises";
import { findHierarchies, type SharedLimits } from "../host/cgroup/cgroup-layouts.ts";
import { Cgroups } from "../host/cgroup/cgroups.ts";
import type { EngineClient } from "./engine-client.ts";

const ROOT = "/sys/fs/cgroup";
/** The namespace in which the paths of control groups are those of the machine; the kernel gives it this number. */
const MACHINES_NAMESPACE = "cgroup:[4026531835]";

/** The control group that all containers of an installation are in, with limits of what they use together. */
export class CommonGroup {
  readonly #cgroups: Cgroups | null;
  readonly #name: string;

  private constructor(cgroups: Cgroups | null, instance: string) {
    this.#cgroups = cgroups;
    this.#name = `berth-${instance}`;
  }

  /** Where the engine has systemd make its groups, or this process sees only a part of them, there is none. */
  static async of(client: EngineClient, instance: string, shared: SharedLimits | null): Promise<CommonGroup> {
    const info = (await client.call("GET", "/info").catch(() => null)) as { CgroupDriver?: unknown } | null;
    const namespace = await readlink("/proc/self/ns/cgroup").catch(() => "");
    const possible = shared !== null && info?.CgroupDriver === "cgroupfs" && namespace === MACHINES_NAMESPACE;
    const cgroups = possible ? new Cgroups(findHierarchies(ROOT, ""), instance, shared) : null;
    return new CommonGroup(cgroups, instance);
  }

  /** Makes the group when it is missing, and returns its path, for the engine; null when there is none whose limits hold. */
  async path(): Promise<string | null> {
    return (await this.#cgroups?.sharedLimitsHold()) === true ? `/${this.#name}` : null;
  }

  /** Removes the group when no container is in it. The engine made it for the other controllers, too, and Podman one below it. */
  async close(): Promise<void> {
    if (this.#cgroups === null) return;
    const names = await readdir(ROOT).catch(() => []);
    const groups = [ROOT, ...names.map((name) => `${ROOT}/${name}`)].map((root) => `${root}/${this.#name}`);
    for (const below of ["/conmon", ""])
      await Promise.all(groups.map((group) => rmdir(`${group}${below}`).catch(() => {})));
  }
}
