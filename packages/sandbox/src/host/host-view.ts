import { lstat, readdir, readFile, statfs } from "node:fs/promises";
import type { SandboxProcess, SandboxView } from "../commands/sandbox-view.ts";

/** Free bytes below which a filesystem counts as full: delayed writes may free some blocks again. */
const FULL_BYTES = 256 * 1024;

/**
 * Observes a sandbox of this machine through `/proc`, and its files through the root of its process 1. The
 * agent cannot write any part of that path.
 */
export class HostView implements SandboxView {
  readonly init: number;

  /** @param init Host pid of process 1. */
  constructor(init: number) {
    this.init = init;
  }

  async processes(): Promise<SandboxProcess[]> {
    const found: SandboxProcess[] = [];
    const waiting = [this.init];
    for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
      for (const pid of await children(parent)) {
        waiting.push(pid);
        const one = await describe(pid, parent).catch(() => null);
        if (one) found.push(one);
      }
    }
    return found;
  }

  async tickAt(moment: number): Promise<number> {
    const uptime = await readFile("/proc/uptime", "latin1");
    return Math.floor(Number.parseFloat(uptime) * 100 - (performance.now() - moment) / 10);
  }

  async isDiskFull(): Promise<boolean> {
    const found = await statfs(this.#inside("/data")).catch(() => null);
    if (found === null) return false;
    const { bavail, bsize, ffree, files } = found;
    return bavail * bsize < FULL_BYTES || (files > 0 && ffree === 0);
  }

  /**
   * Compares the times of a directory, which are equal until something is put into it. The directory is a
   * mount, so that the agent cannot put another in its place. A program that resets the modification time
   * cannot know the birth time to the nanosecond.
   */
  async isUntouched(directory: string): Promise<boolean> {
    const times = await lstat(this.#inside(directory), { bigint: true }).catch(() => null);
    return times !== null && times.mtimeNs === times.birthtimeNs;
  }

  #inside(path: string): string {
    return `/proc/${this.init}/root${path}`;
  }
}

async function children(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, "latin1").catch(() => "")),
  );
  return lists
    .flatMap((list) => list.trim().split(" "))
    .filter(Boolean)
    .map(Number);
}

/** Returns null for a zombie. */
async function describe(pid: number, parent: number): Promise<SandboxProcess | null> {
  const [status, stat, limits] = await Promise.all([
    readFile(`/proc/${pid}/status`, "latin1"),
    readFile(`/proc/${pid}/stat`, "latin1"),
    readFile(`/proc/${pid}/limits`, "latin1"),
  ]);
  if (stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z")) return null;
  const last = (name: string) => Number(new RegExp(`^${name}:.*?(\\d+)$`, "m").exec(status)?.[1] ?? 0);
  return {
    pid,
    parent,
    insidePid: last("NSpid"),
    insideSession: last("NSsid"),
    startTick: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]),
    fileLocks: Number(/^Max file locks +\S+ +(\S+)/m.exec(limits)?.[1]),
  };
}
