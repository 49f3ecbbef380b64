import { readFileSync } from "node:fs";

/** Number of open sandboxes by the core that they run on. */
const sandboxes = new Map<number, number>();

/** The cores of a sandbox. */
export interface Cores {
  /** Numbers of the cores; null for all that this process may use. */
  numbers: readonly number[] | null;
  /** Call it when the sandbox has ended; only the first call has an effect. */
  release(): void;
}

/**
 * Chooses as many cores as a sandbox has CPU time for, so that programs which count them start no more threads
 * than can run. Takes those with the fewest open sandboxes of this process. The limit of CPU time is another:
 * a program may use more cores, but not more time.
 *
 * @param cpus Limit in cores; fractions are rounded up.
 * @param available Default: the cores that this process may use.
 */
export function takeCores(cpus: number, available: readonly number[] = ownCores()): Cores {
  const count = Math.max(1, Math.ceil(cpus));
  if (count >= available.length) return { numbers: null, release() {} };
  // Processes of the same machine do not know of each other, so each prefers others.
  const first = process.pid % available.length;
  const rotated = [...available.slice(first), ...available.slice(0, first)];
  const load = (core: number) => sandboxes.get(core) ?? 0;
  const numbers = rotated
    .sort((one, other) => load(one) - load(other))
    .slice(0, count)
    .sort((one, other) => one - other);
  const add = (by: number) => {
    for (const core of numbers) sandboxes.set(core, load(core) + by);
  };
  add(1);
  let released = false;
  return {
    numbers,
    release() {
      if (!released) add(-1);
      released = true;
    },
  };
}

function ownCores(): number[] {
  const list = /^Cpus_allowed_list:\s+(.*)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1] ?? "";
  return parseCores(list);
}

/** Parses a list of numbers and ranges, such as `0-2,5`. */
export function parseCores(list: string): number[] {
  return list.split(",").flatMap((part) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    if (from === undefined) return [];
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index);
  });
}
