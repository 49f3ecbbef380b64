import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cgroupGauge, type LimitGauge } from "../../host/cgroup-gauge.ts";
import { SandboxError } from "../../interface/errors.ts";
import type { Limits } from "../../interface/spec.ts";
import type { Controller, Hierarchy, Setting } from "./cgroup-layouts.ts";

/** What is given up here waits for the next sweep. A process may have to write to a slow disk before it can end. */
const KILL_TIMEOUT_MS = 8_000;
/** Between two looks: soon, and then seldom. */
const [FIRST_LOOK_MS, LAST_LOOK_MS] = [3, 25];
/** What lifts the limit of CPU time in each version. */
const LIFTED = { "cpu.cfs_quota_us": "-1", "cpu.max": "max" };

/**
 * The groups of one installation: `berth-INSTANCE/NAME` in each hierarchy. A process joins by writing its own pid
 * to each of `processFiles` before it becomes bwrap, so no process of a sandbox was ever outside.
 */
export class Cgroups {
  readonly controllers: readonly Controller[];
  readonly #hierarchies: readonly Hierarchy[];
  /** The directories in which its groups lie. */
  readonly parents: readonly string[];

  /** @param hierarchies From `findHierarchies`; with none, nothing is limited and `create` gives an empty group. */
  constructor(hierarchies: readonly Hierarchy[], instance: string) {
    this.#hierarchies = hierarchies;
    this.parents = hierarchies.map(({ directory }) => `${directory}/berth-${instance}`);
    this.controllers = hierarchies.flatMap(({ controllers }) => controllers);
  }

  /** The groups below these `parents` of a former process, to remove them. */
  static in(parents: readonly string[]): Cgroups {
    return new Cgroups(
      parents.map((parent) => ({ directory: dirname(parent), controllers: [], settings: () => [] })),
      basename(parents[0] ?? "").replace(/^berth-/, ""),
    );
  }

  /** Throws a `SandboxError` when the kernel refuses; nothing is left then. */
  async create(name: string, limits: Limits): Promise<Cgroup> {
    try {
      await Promise.all(
        this.#hierarchies.map((hierarchy, index) => this.#make(hierarchy, index, name, limits)),
      );
    } catch (error) {
      await this.destroy(name).catch(() => {});
      throw new SandboxError(`the control group could not be made: ${message(error)}`, { cause: error });
    }
    const directories = this.#directories(name);
    return {
      processFiles: directories.map((directory) => `${directory}/cgroup.procs`),
      members: () => members(directories),
      lift: () => lift(directories),
      gauge: cgroupGauge(this.#directory("memory", name), this.#directory("pids", name)),
      destroy: () => this.destroy(name),
    };
  }

  /** Names of the groups that exist, also those of other processes of this installation. */
  async names(): Promise<string[]> {
    const lists = await Promise.all(
      this.parents.map((parent) => readdir(parent, { withFileTypes: true }).catch(() => [])),
    );
    return [
      ...new Set(
        lists
          .flat()
          .filter((entry) => entry.isDirectory())
          .map((entry) => entry.name),
      ),
    ];
  }

  /** Kills every member until none is left, then removes the group. Rejects when a member outlives eight seconds. */
  async destroy(name: string): Promise<void> {
    const directories = this.#directories(name);
    await lift(directories);
    const until = performance.now() + KILL_TIMEOUT_MS;
    for (let look = FIRST_LOOK_MS; ; look = Math.min(look * 1.5, LAST_LOOK_MS)) {
      await kill(directories);
      const removed = await Promise.all(directories.map(remove));
      if (removed.every(Boolean)) return;
      if (performance.now() > until) throw new SandboxError("processes of a sandbox could not be killed");
      await delay(look);
    }
  }

  /** One that cannot be destroyed keeps none of the others; rejects when there was one. */
  async destroyAll(matching: (name: string) => Promise<boolean>): Promise<void> {
    const names = await this.names();
    const results = await Promise.allSettled(
      names.map(async (name) => ((await matching(name)) ? await this.destroy(name) : undefined)),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }

  /** Removes the parents, too, when no sandbox of the installation is left in them. */
  async close(): Promise<void> {
    await Promise.all(this.parents.map((parent) => rmdir(parent).catch(() => {})));
  }

  async #make(hierarchy: Hierarchy, index: number, name: string, limits: Limits): Promise<void> {
    const parent = this.parents[index] ?? "";
    const existed = (await mkdir(parent, { recursive: true })) === undefined;
    if (!existed || hierarchy.controllers.length > 1) await delegate(hierarchy, parent);
    await mkdir(`${parent}/${name}`);
    for (const setting of hierarchy.settings(limits)) await write(`${parent}/${name}`, setting);
  }

  #directory(controller: Controller, name: string): string | undefined {
    const index = this.#hierarchies.findIndex(({ controllers }) => controllers.includes(controller));
    return index < 0 ? undefined : `${this.parents[index]}/${name}`;
  }

  #directories(name: string): string[] {
    return this.parents.map((parent) => `${parent}/${name}`);
  }
}

export interface Cgroup {
  readonly processFiles: readonly string[];
  /** Pids, on the host, of all processes in it. */
  members(): Promise<number[]>;
  readonly gauge: LimitGauge;
  /** For members that are about to be killed: who has used more CPU time than it had waits that long before it can end. */
  lift(): Promise<void>;
  destroy(): Promise<void>;
}

/** Version 2 hands controllers down only when each level says so. */
async function delegate(hierarchy: Hierarchy, parent: string): Promise<void> {
  if (hierarchy.controllers.length < 2) return;
  const value = hierarchy.controllers.map((controller) => `+${controller}`).join(" ");
  for (const directory of [hierarchy.directory, parent])
    await writeFile(`${directory}/cgroup.subtree_control`, value);
}

async function write(directory: string, setting: Setting): Promise<void> {
  try {
    await writeFile(`${directory}/${setting.file}`, setting.value);
  } catch (error) {
    const held = setting.heldAbove && (error as NodeJS.ErrnoException).code === "EINVAL";
    if (!setting.optional && !held) throw error;
  }
}

/** A group that is gone, and files of the other version, need nothing. */
async function lift(directories: readonly string[]): Promise<void> {
  await Promise.allSettled(
    directories.flatMap((directory) =>
      Object.entries(LIFTED).map(([file, value]) => writeFile(`${directory}/${file}`, value, { flag: "r+" })),
    ),
  );
}

async function kill(directories: readonly string[]): Promise<void> {
  for (const pid of await members(directories)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {}
  }
}

async function members(directories: readonly string[]): Promise<number[]> {
  const lists = await Promise.all(
    directories.map((directory) => readFile(`${directory}/cgroup.procs`, "latin1").catch(() => "")),
  );
  const pids = lists.flatMap((list) => list.split("\n")).map(Number);
  return [...new Set(pids.filter((pid) => pid > 0 && pid !== process.pid))];
}

async function remove(directory: string): Promise<boolean> {
  try {
    await rmdir(directory);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT";
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
