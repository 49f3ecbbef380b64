import { chmod, mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { LimitGauge } from "../../commands/limit-gauge.ts";
import { SandboxError } from "../../interface/errors.ts";
import type { Limits } from "../../interface/spec.ts";
import { cgroupGauge } from "../cgroup-gauge.ts";
import type { Controller, Hierarchy, Setting, SharedLimits } from "./cgroup-layouts.ts";

/**
 * Milliseconds after which processes that cannot be killed are left to the next sweep. A process may first
 * have to finish a write to a slow disk.
 */
const KILL_TIMEOUT_MS = 8_000;
/** Shortest and longest interval between two checks, in milliseconds. */
const [FIRST_CHECK_MS, LAST_CHECK_MS] = [3, 25];
/** Mode of groups: sandboxes see their own, whatever this process's umask. */
const MODE = 0o755;
/** Values that remove the limit of CPU time, by the file of each cgroup version. */
const NO_CPU_LIMIT = { "cpu.cfs_quota_us": "-1", "cpu.max": "max" };

/**
 * The control groups of one installation: `berth-INSTANCE/NAME` in each hierarchy. A process writes its own
 * pid to each of `processFiles` before it executes bwrap, so no process of a sandbox is ever outside them.
 * Joining blocks the process for ten milliseconds or more.
 */
export class Cgroups {
  readonly controllers: readonly Controller[];
  readonly #hierarchies: readonly Hierarchy[];
  readonly #shared: SharedLimits | null;
  /** Parents whose limits this process has set. */
  readonly #limited = new Set<string>();
  /** Parent directories of the installation's groups, one for each hierarchy. */
  readonly parents: readonly string[];

  /**
   * @param hierarchies from `findHierarchies`. With an empty list, `create` makes no groups and nothing is
   * limited.
   * @param shared Limits of all groups of the installation together; null for none.
   */
  constructor(hierarchies: readonly Hierarchy[], instance: string, shared: SharedLimits | null = null) {
    this.#hierarchies = hierarchies;
    this.#shared = shared;
    this.parents = hierarchies.map(({ directory }) => `${directory}/berth-${instance}`);
    this.controllers = hierarchies.flatMap(({ controllers }) => controllers);
  }

  /** Returns an object that can remove the groups below the `parents` of an earlier process. */
  static in(parents: readonly string[]): Cgroups {
    return new Cgroups(
      parents.map((parent) => ({
        directory: dirname(parent),
        controllers: [],
        names: null,
        inherited: [],
        settings: () => [],
        sharedSettings: () => [],
      })),
      basename(parents[0] ?? "").replace(/^berth-/, ""),
    );
  }

  /**
   * Makes a group without limits. Throws a `SandboxError`, and leaves nothing, when the kernel rejects it.
   */
  async create(name: string): Promise<Cgroup> {
    const directories = this.#directories(name);
    try {
      await Promise.all(
        this.#hierarchies.map(async (hierarchy, index) => {
          await this.#makeParent(hierarchy, index);
          const directory = directories[index] ?? "";
          await mkdir(directory);
          await chmod(directory, MODE);
        }),
      );
    } catch (error) {
      await this.destroy(name).catch(() => {});
      throw refusal(error);
    }
    return {
      name,
      processFiles: directories.map((directory) => `${directory}/cgroup.procs`),
      views: this.#hierarchies.map(({ names }, index) => ({ directory: directories[index] ?? "", names })),
      limit: (limits) => this.#limit(directories, limits),
      members: () => members(directories),
      liftCpuLimit: () => liftCpuLimit(directories),
      gauge: cgroupGauge(this.#directory("memory", name), this.#directory("pids", name)),
      destroy: () => this.destroy(name),
    };
  }

  /** Returns the names of the existing groups, including those of other processes of this installation. */
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

  /**
   * Kills all members until none is left, then removes the group. Rejects when a member still lives after
   * eight seconds.
   */
  async destroy(name: string): Promise<void> {
    const directories = this.#directories(name);
    await liftCpuLimit(directories);
    const until = performance.now() + KILL_TIMEOUT_MS;
    for (let pause = FIRST_CHECK_MS; ; pause = Math.min(pause * 1.5, LAST_CHECK_MS)) {
      await kill(directories);
      const removed = await Promise.all(directories.map(remove));
      if (removed.every(Boolean)) return;
      if (performance.now() > until) throw new SandboxError("processes of a sandbox could not be killed");
      await delay(pause);
    }
  }

  /** Destroys all matching groups, even when one fails; then rejects with the first failure. */
  async destroyAll(matching: (name: string) => boolean): Promise<void> {
    const names = await this.names();
    const results = await Promise.allSettled(
      names.map(async (name) => (matching(name) ? await this.destroy(name) : undefined)),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }

  /** Removes the parents that contain no group. */
  async close(): Promise<void> {
    await Promise.all(this.parents.map((parent) => rmdir(parent).catch(() => {})));
  }

  /** Returns whether the shared limits of memory and of processes are in force. */
  async sharedLimitsHold(): Promise<boolean> {
    const shared = this.#shared;
    const counted = ["memory", "pids"] as const;
    if (shared === null || !counted.every((controller) => this.controllers.includes(controller)))
      return false;
    try {
      await Promise.all(this.#hierarchies.map((hierarchy, index) => this.#makeParent(hierarchy, index)));
      const held = this.#hierarchies.flatMap((hierarchy, index) =>
        hierarchy.sharedSettings(shared).map(async ({ file, value, optional = false }) => {
          const text = await readFile(`${this.parents[index]}/${file}`, "latin1").catch(() => null);
          return text === null ? optional : text.trim() === value;
        }),
      );
      return (await Promise.all(held)).every(Boolean);
    } catch {
      return false;
    }
  }

  async #limit(directories: readonly string[], limits: Limits): Promise<void> {
    const written = this.#hierarchies.map(async (hierarchy, index) => {
      for (const setting of hierarchy.settings(limits)) await write(directories[index] ?? "", setting);
    });
    await Promise.all(written).catch((error) => {
      throw refusal(error);
    });
  }

  async #makeParent(hierarchy: Hierarchy, index: number): Promise<void> {
    const parent = this.parents[index] ?? "";
    const existed = (await mkdir(parent, { recursive: true })) === undefined;
    await chmod(parent, MODE);
    if (hierarchy.names === null) await delegate(hierarchy, parent);
    if (hierarchy.inherited.length > 0) await inherit(hierarchy, parent);
    if (this.#shared !== null && !(existed && this.#limited.has(parent))) {
      this.#limited.add(parent);
      // The kernel rejects a limit below the current usage; each sandbox still has its own limits.
      for (const setting of hierarchy.sharedSettings(this.#shared))
        await write(parent, { ...setting, optional: true });
    }
  }

  #directory(controller: Controller, name: string): string | undefined {
    const index = this.#hierarchies.findIndex(({ controllers }) => controllers.includes(controller));
    return index < 0 ? undefined : `${this.parents[index]}/${name}`;
  }

  #directories(name: string): string[] {
    return this.parents.map((parent) => `${parent}/${name}`);
  }
}

/** A control group in all hierarchies. */
export interface Cgroup {
  readonly name: string;
  readonly processFiles: readonly string[];
  /** The directories of the group, as a sandbox may see its own below `/sys/fs/cgroup`. */
  readonly views: readonly CgroupView[];
  /**
   * Sets the limits, which also apply to present members. Throws a `SandboxError` when the kernel rejects
   * them.
   */
  limit(limits: Limits): Promise<void>;
  /** Returns the host pids of all processes in the group. */
  members(): Promise<number[]>;
  readonly gauge: LimitGauge;
  /**
   * Removes the CPU limit. Call it before members are killed: a process without CPU time left could not end.
   */
  liftCpuLimit(): Promise<void>;
  destroy(): Promise<void>;
}

/** A directory of a group on the host. */
export interface CgroupView {
  directory: string;
  /** See `Hierarchy.names`. */
  names: readonly string[] | null;
}

/**
 * Takes over values from the group above, and has groups below do the same by themselves when they are made.
 */
async function inherit({ directory, inherited }: Hierarchy, parent: string): Promise<void> {
  const themselves = `${parent}/cgroup.clone_children`;
  if ((await readFile(themselves, "latin1").catch(() => "")).trim() === "1") return;
  for (const file of inherited)
    await writeFile(`${parent}/${file}`, await readFile(`${directory}/${file}`, "latin1"));
  await writeFile(themselves, "1");
}

/**
 * Enables the controllers for child groups. Cgroup version 2 passes them down only where each level enables
 * them.
 */
async function delegate(hierarchy: Hierarchy, parent: string): Promise<void> {
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

/**
 * Removes the CPU limit. Errors are ignored: files of the other cgroup version and of a removed group do not
 * exist.
 */
async function liftCpuLimit(directories: readonly string[]): Promise<void> {
  await Promise.allSettled(
    directories.flatMap((directory) =>
      Object.entries(NO_CPU_LIMIT).map(([file, value]) =>
        writeFile(`${directory}/${file}`, value, { flag: "r+" }),
      ),
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

function refusal(error: unknown): SandboxError {
  const message = error instanceof Error ? error.message : String(error);
  return new SandboxError(`the control group could not be made: ${message}`, { cause: error });
}
