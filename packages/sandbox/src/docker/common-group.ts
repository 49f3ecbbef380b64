import { readdir, readlink, rmdir } from "node:fs/promises";
import { findHierarchies, type SharedLimits } from "../host/cgroup/cgroup-layouts.ts";
import { Cgroups } from "../host/cgroup/cgroups.ts";
import type { EngineClient } from "./engine-client.ts";

const ROOT = "/sys/fs/cgroup";
/**
 * The initial cgroup namespace, in which paths are those of the machine. The kernel always gives it this
 * number.
 */
const MACHINES_NAMESPACE = "cgroup:[4026531835]";

/** The control group of all containers of an installation, which limits them together. */
export class CommonGroup {
  readonly #cgroups: Cgroups | null;
  readonly #name: string;

  private constructor(cgroups: Cgroups | null, instance: string) {
    this.#cgroups = cgroups;
    this.#name = `berth-${instance}`;
  }

  /**
   * Creates the object. There is no group when the container engine uses systemd for its groups, or when this
   * process sees only some of the groups.
   */
  static async of(client: EngineClient, instance: string, shared: SharedLimits | null): Promise<CommonGroup> {
    const info = (await client.call("GET", "/info").catch(() => null)) as { CgroupDriver?: unknown } | null;
    const namespace = await readlink("/proc/self/ns/cgroup").catch(() => "");
    const possible = shared !== null && info?.CgroupDriver === "cgroupfs" && namespace === MACHINES_NAMESPACE;
    const cgroups = possible ? new Cgroups(findHierarchies(ROOT, ""), instance, shared) : null;
    return new CommonGroup(cgroups, instance);
  }

  /**
   * Makes the group when it is missing, and returns its path for the container engine; null when no group
   * with effective limits is possible.
   */
  async path(): Promise<string | null> {
    return (await this.#cgroups?.sharedLimitsHold()) === true ? `/${this.#name}` : null;
  }

  /**
   * Removes the group when no container is in it. The container engine also made it for other controllers,
   * and Podman made a child group.
   */
  async close(): Promise<void> {
    if (this.#cgroups === null) return;
    const names = await readdir(ROOT).catch(() => []);
    const groups = [ROOT, ...names.map((name) => `${ROOT}/${name}`)].map((root) => `${root}/${this.#name}`);
    for (const below of ["/conmon", ""])
      await Promise.all(groups.map((group) => rmdir(`${group}${below}`).catch(() => {})));
  }
}
