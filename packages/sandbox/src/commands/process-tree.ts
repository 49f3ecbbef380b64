import { readdir, readFile } from "node:fs/promises";
import type { Marks } from "./marks.ts";

/** A process of a sandbox, as the host sees it and as the sandbox does. */
export interface ProcessInfo {
  pid: number;
  parent: number;
  /** Pid and session inside. */
  insidePid: number;
  insideSession: number;
  /** Hundredths of a second after boot. */
  startTick: number;
  /** The command that it comes of; null when it has set a limit of its own, or none was set. */
  mark: number | null;
}

/** Every descendant of process 1 of a sandbox. In a pid namespace no process leaves that tree. */
export async function descendants(init: number, marks: Marks): Promise<ProcessInfo[]> {
  const found: ProcessInfo[] = [];
  const waiting = [init];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const pid of await children(parent)) {
      waiting.push(pid);
      const info = await describe(pid, parent, marks).catch(() => null);
      if (info) found.push(info);
    }
  }
  return found;
}

/** What to kill with a command. */
export interface Target {
  mark: number;
  /** Session inside that the command's shell leads. */
  session: number;
  /** When the command started, as `performance.now` tells it. */
  startedAt: number;
  /** No other command runs in the sandbox. */
  alone: boolean;
  /** Pid inside of a shell that leads the session and is to live on. */
  spare?: number;
}

/**
 * The processes that belong to a command: those with its mark; those without a mark in its shell's session or
 * below one that belongs; and, while it runs alone, every newer one that fell to process 1. A job that an
 * earlier command of the same shell left behind has another mark and stays.
 *
 * @param startTick When the command started; see `tickAt`.
 */
export function belonging(
  all: readonly ProcessInfo[],
  init: number,
  target: Target,
  startTick: number,
): ProcessInfo[] {
  const byPid = new Map(all.map((process) => [process.pid, process]));
  const verdicts = new Map<number, boolean>();
  const belongs = (process: ProcessInfo): boolean => {
    const known = verdicts.get(process.pid);
    if (known !== undefined) return known;
    verdicts.set(process.pid, false);
    const verdict = process.mark === null ? unmarked(process) : process.mark === target.mark;
    verdicts.set(process.pid, verdict);
    return verdict;
  };
  const unmarked = (process: ProcessInfo): boolean => {
    if (process.insideSession === target.session) return true;
    const parent = byPid.get(process.parent);
    if (parent) return belongs(parent);
    return target.alone && process.parent === init && process.startTick >= startTick;
  };
  return all.filter((process) => process.insidePid !== target.spare && belongs(process));
}

/** A moment of `performance.now` as `startTick` counts it. */
export async function tickAt(moment: number): Promise<number> {
  const uptime = await readFile("/proc/uptime", "latin1");
  return Math.floor(Number.parseFloat(uptime) * 100 - (performance.now() - moment) / 10);
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

/** Null for one that is dead and only waits to be reaped. */
async function describe(pid: number, parent: number, marks: Marks): Promise<ProcessInfo | null> {
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
    mark: marks.known(Number(/^Max file locks +\S+ +(\S+)/m.exec(limits)?.[1])),
  };
}
