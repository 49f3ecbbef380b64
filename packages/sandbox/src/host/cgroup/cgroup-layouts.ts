import { accessSync, constants, readFileSync, realpathSync } from "node:fs";
import type { Limits } from "../../interface/spec.ts";

/** A controller that enforces a limit. */
export type Controller = "memory" | "pids" | "cpu";

/**
 * A directory in which groups are made, and its controllers. Cgroup version 1 has one directory for each
 * controller, or for several.
 */
export interface Hierarchy {
  directory: string;
  controllers: Controller[];
  /**
   * Names of the controllers by which programs look for the directory below `/sys/fs/cgroup`, in version 1;
   * null in version 2, which has one directory.
   */
  names: readonly string[] | null;
  /** Files without which a group accepts no process. A new group takes their values from the one above it. */
  inherited: readonly string[];
  settings(limits: Limits): Setting[];
  /** Settings of the group that all sandboxes of an installation share. */
  sharedSettings(limits: SharedLimits): Setting[];
}

/** Limits of all sandboxes of an installation together. */
export type SharedLimits = Pick<Limits, "memoryBytes" | "pids">;

/** A value to write to a file of a control group. */
export interface Setting {
  file: string;
  value: string;
  /** Whether the kernel may lack the file. */
  optional?: boolean;
  /**
   * Whether EINVAL is ignored: the kernel returns it for more than a parent group allows, and then the
   * parent's limit applies.
   */
  heldAbove?: boolean;
}

const LIMITING: readonly Controller[] = ["memory", "pids", "cpu"];
const PERIOD_US = 100_000;
/**
 * Divisor of the memory limit that gives the extra bytes for socket buffers. The kernel's own limit is about
 * a tenth of the machine.
 */
const SHARE_OF_SOCKETS = 16;
/** Processes of bwrap and launch.pl, which the kernel counts too. */
const OWN_PROCESSES = 4;

/**
 * Returns the hierarchies in which this process may make groups: those of version 1 if there are any, else
 * that of version 2.
 *
 * @param root Mount point of the cgroup filesystems.
 * @param membership Text of `/proc/self/cgroup`. Groups are made below the server's own, so that a limit on
 * the server also applies to its sandboxes.
 */
export function findHierarchies(root: string, membership: string): Hierarchy[] {
  const own = parseMembership(membership);
  const first = versionOne(root, own);
  return first.length > 0 ? first : versionTwo(root, own.get("") ?? "/");
}

/**
 * Controllers of version 1 that limit nothing here. Java looks for all of them before it reads a limit of
 * memory.
 */
const ONLY_SHOWN = ["cpuacct", "cpuset"] as const;

function versionOne(root: string, own: Map<string, string>): Hierarchy[] {
  const names = new Map<string, string[]>();
  for (const name of [...LIMITING, ...ONLY_SHOWN]) {
    const directory = [`${root}/${name}${own.get(name) ?? "/"}`, `${root}/${name}`].find((path) =>
      writable(`${path}/cgroup.procs`),
    );
    if (directory === undefined) continue;
    // Several names may be links to one directory.
    const real = realpathSync(directory);
    names.set(real, [...(names.get(real) ?? []), name]);
  }
  const hierarchies = [...names].map(([directory, all]) => {
    const controllers = LIMITING.filter((name) => all.includes(name));
    return {
      directory,
      controllers,
      names: all,
      inherited: all.includes("cpuset") ? ["cpuset.cpus", "cpuset.mems"] : [],
      settings: (limits: Limits) => controllers.flatMap((name) => versionOneSettings[name](limits)),
      sharedSettings: (limits: SharedLimits) =>
        controllers.flatMap((name) => versionOneSharedSettings[name](limits)),
    };
  });
  return hierarchies.some(({ controllers }) => controllers.length > 0) ? hierarchies : [];
}

const versionOneSettings: Record<Controller, (limits: Limits) => Setting[]> = {
  memory: ({ memoryBytes }) => [
    { file: "memory.limit_in_bytes", value: String(memoryBytes) },
    { file: "memory.memsw.limit_in_bytes", value: String(memoryBytes), optional: true },
    socketBuffers(memoryBytes),
  ],
  pids: ({ pids }) => [{ file: "pids.max", value: String(pids + OWN_PROCESSES) }],
  cpu: ({ cpus }) => [
    { file: "cpu.cfs_period_us", value: String(PERIOD_US) },
    { file: "cpu.cfs_quota_us", value: String(quota(cpus)), heldAbove: true },
  ],
};

const versionOneSharedSettings: Record<Controller, (limits: SharedLimits) => Setting[]> = {
  memory: ({ memoryBytes }) => [
    // Without this setting, the kernel does not count the child groups.
    { file: "memory.use_hierarchy", value: "1", optional: true },
    { file: "memory.limit_in_bytes", value: String(memoryBytes) },
    socketBuffers(memoryBytes),
  ],
  pids: ({ pids }) => [{ file: "pids.max", value: String(pids) }],
  cpu: () => [],
};

/**
 * Returns the limit of socket buffers. Version 1 counts them apart from memory, and only with a limit;
 * version 2 counts them as memory.
 */
export function socketBuffers(memoryBytes: number): Setting {
  const bytes = Math.floor(memoryBytes / SHARE_OF_SOCKETS);
  return { file: "memory.kmem.tcp.limit_in_bytes", value: String(bytes), optional: true };
}

function versionTwo(root: string, own: string): Hierarchy[] {
  const directory = [`${root}${own}`, root]
    .map(withoutEndSlash)
    .find((path) => writable(`${path}/cgroup.procs`));
  if (directory === undefined) return [];
  const present = read(`${directory}/cgroup.controllers`).split(/\s+/);
  const controllers = LIMITING.filter((controller) => present.includes(controller));
  return controllers.length === 0
    ? []
    : [
        {
          directory,
          controllers,
          names: null,
          inherited: [],
          settings: (limits) => versionTwoSettings(limits, controllers),
          sharedSettings: (limits) => versionTwoSharedSettings(limits, controllers),
        },
      ];
}

function versionTwoSharedSettings(
  { memoryBytes, pids }: SharedLimits,
  controllers: readonly Controller[],
): Setting[] {
  return [
    { controller: "memory", file: "memory.max", value: String(memoryBytes) },
    { controller: "pids", file: "pids.max", value: String(pids) },
  ].filter(({ controller }) => controllers.includes(controller as Controller));
}

function versionTwoSettings(
  { memoryBytes, pids, cpus }: Limits,
  controllers: readonly Controller[],
): Setting[] {
  return [
    { controller: "memory", file: "memory.max", value: String(memoryBytes) },
    { controller: "memory", file: "memory.swap.max", value: "0", optional: true },
    { controller: "pids", file: "pids.max", value: String(pids + OWN_PROCESSES) },
    { controller: "cpu", file: "cpu.max", value: `${quota(cpus)} ${PERIOD_US}` },
  ].filter(({ controller }) => controllers.includes(controller as Controller));
}

/** Parses lines of the form `id:controllers:path`; the line of version 2 has no controllers. */
function parseMembership(text: string): Map<string, string> {
  const own = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, controllers = "", path] = line.split(":", 3);
    if (path !== undefined) for (const controller of controllers.split(",")) own.set(controller, path);
  }
  return own;
}

function quota(cpus: number): number {
  return Math.max(1000, Math.round(cpus * PERIOD_US));
}

function writable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function withoutEndSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
