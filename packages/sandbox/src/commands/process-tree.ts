import { readdir, readFile } from "node:fs/promises";
import { MARK } from "./command-script.ts";

/** A process of a sandbox, as the host sees it and as the sandbox does. */
export interface ProcessInfo {
  pid: number;
  parent: number;
  /** Pid and session inside. */
  insidePid: number;
  insideSession: number;
  /** Clock ticks after boot. */
  startTick: number;
  /** The command whose mark its first environment carries; null when it carries none. */
  mark: string | null;
}

/** Every descendant of process 1 of a sandbox. In a pid namespace no process leaves that tree. */
export async function descendants(init: number): Promise<ProcessInfo[]> {
  const found: ProcessInfo[] = [];
  const waiting = [init];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const pid of await children(parent)) {
      waiting.push(pid);
      const info = await describe(pid, parent).catch(() => null);
      if (info) found.push(info);
    }
  }
  return found;
}

/** What to kill with a command. */
export interface Target {
  mark: string;
  /** Session inside that the command's shell leads. */
  session: number;
  /** Clock tick at which the command started. */
  startTick: number;
  /** No other command runs in the sandbox. */
  alone: boolean;
  /** Pid inside of a shell that leads the session and is to live on. */
  spare?: number;
}

/**
 * The processes that belong to a command: those with its mark; those without a mark in its shell's session or
 * below one that belongs; and, while it runs alone, every newer one that fell to process 1. A job that an
 * earlier command of the same shell left behind has another mark and stays.
 */
export function belonging(all: readonly ProcessInfo[], init: number, target: Target): ProcessInfo[] {
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
    return target.alone && process.parent === init && process.startTick >= target.startTick;
  };
  return all.filter((process) => process.insidePid !== target.spare && belongs(process));
}

/** Clock ticks since boot, as `startTick` counts them. */
export async function nowInTicks(): Promise<number> {
  const uptime = await readFile("/proc/uptime", "latin1");
  return Math.floor(Number.parseFloat(uptime) * 100);
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
async function describe(pid: number, parent: number): Promise<ProcessInfo | null> {
  const [status, stat, environment] = await Promise.all([
    readFile(`/proc/${pid}/status`, "latin1"),
    readFile(`/proc/${pid}/stat`, "latin1"),
    readFile(`/proc/${pid}/environ`, "latin1").catch(() => ""),
  ]);
  if (stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z")) return null;
  const last = (name: string) => Number(new RegExp(`^${name}:.*?(\\d+)$`, "m").exec(status)?.[1] ?? 0);
  return {
    pid,
    parent,
    insidePid: last("NSpid"),
    insideSession: last("NSsid"),
    startTick: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]),
    mark: new RegExp(`(?:^|\\0)${MARK}=([^\\0]*)`).exec(environment)?.[1] ?? null,
  };
}
