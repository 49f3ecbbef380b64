import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

/** Resources of a machine, for all its processes together. */
export interface Machine {
  memoryBytes: number;
  /** The maximum number of processes and threads. */
  pids: number;
  openFiles: number;
  cpus: number;
}

/**
 * Reads which resources of the machine this process and its children can use. A limit of a visible control
 * group counts where it is lower than the kernel's.
 * @param at Mount points of proc and the control groups.
 */
export function readMachine(at: { proc: string; cgroup: string } = MOUNTS): Machine {
  const total = /^MemTotal:\s+(\d+) kB/m.exec(read(join(at.proc, "meminfo")))?.[1];
  const kernel = (name: string) => numberIn(join(at.proc, "sys/kernel", name));
  const groups = ownGroups(at);
  const least = (...files: string[]) =>
    Math.min(...groups.flatMap((group) => files.map((file) => numberIn(join(group, file)))));
  return {
    memoryBytes: Math.min(Number(total ?? 0) * 1024, least("memory.max", "memory.limit_in_bytes")),
    pids: Math.min(kernel("pid_max"), kernel("threads-max"), least("pids.max")),
    openFiles: numberIn(join(at.proc, "sys/fs/file-max")),
    cpus: availableParallelism(),
  };
}

const MOUNTS = { proc: "/proc", cgroup: "/sys/fs/cgroup" };

/** Returns the directories of this process's control groups and their parents, as far as they are visible. */
function ownGroups({ proc, cgroup }: typeof MOUNTS): string[] {
  return read(join(proc, "self/cgroup"))
    .split("\n")
    .flatMap((line) => {
      const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      if (controllers === undefined || path === undefined) return [];
      const steps = path.split("/").filter(Boolean);
      const above = [steps, ...steps.map((_, index) => steps.slice(0, index))];
      return above.map((part) => join(cgroup, controllers, ...part));
    });
}

/** Returns infinity where the file is missing or contains no number. */
function numberIn(path: string): number {
  return Number(/^\d+$/.exec(read(path).trim())?.[0] ?? Number.POSITIVE_INFINITY);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
