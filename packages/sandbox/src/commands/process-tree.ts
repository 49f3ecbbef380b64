import { readdir, readFile } from "node:fs/promises";

/** The highest mark. It fits every shell's numbers and is far below the limit of a process that no command started. */
const HIGHEST = 1_000_000_000;

/**
 * Marks the processes of commands: by the resource limit for file locks, which Linux keeps for every process and does not use.
 * Whatever a process becomes or starts has the limit of its command: it is inherited, and can be lowered but not raised. So
 * each command of a sandbox gets a lower limit than those before, which a shell that lives on can set, too.
 */
export class Marks {
  #last = HIGHEST;

  next(): number {
    this.#last -= 1;
    return this.#last;
  }

  /** The mark of a process with this limit; null for a limit that no command was given. */
  known(limit: number): number | null {
    return limit >= this.#last && limit < HIGHEST ? limit : null;
  }
}

/** A process of a sandbox, with its ids on the host and in the sandbox. */
export interface ProcessInfo {
  pid: number;
  parent: number;
  /** Pid and session in the sandbox. */
  insidePid: number;
  insideSession: number;
  /** Hundredths of a second after boot. */
  startTick: number;
  /** The mark of its command; null when it has set a limit itself, or none was set. */
  mark: number | null;
}

/** Every descendant of process 1. In a pid namespace no process leaves that tree. */
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

/** The command whose processes are to be killed. */
export interface Target {
  mark: number;
  /** Session in the sandbox that the command's shell leads. */
  session: number;
  /** When the command started, by `performance.now`. */
  startedAt: number;
  /** No other command runs in the sandbox. */
  alone: boolean;
  /** Pid in the sandbox of a shell that leads the session and is not killed. */
  spare?: number;
}

/**
 * The processes of a command: those with its mark; those without a mark in its shell's session or below one of its processes;
 * and, while it runs alone, every newer orphan of process 1. A job that an earlier command of the same shell left has another
 * mark and is not among them.
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
  const decided = new Map<number, boolean>();
  const belongs = (process: ProcessInfo): boolean => {
    const known = decided.get(process.pid);
    if (known !== undefined) return known;
    decided.set(process.pid, false);
    const result = process.mark === null ? unmarked(process) : process.mark === target.mark;
    decided.set(process.pid, result);
    return result;
  };
  const unmarked = (process: ProcessInfo): boolean => {
    if (process.insideSession === target.session) return true;
    const parent = byPid.get(process.parent);
    if (parent) return belongs(parent);
    return target.alone && process.parent === init && process.startTick >= startTick;
  };
  return all.filter((process) => process.insidePid !== target.spare && belongs(process));
}

/** Converts a time of `performance.now` to ticks as in `startTick`. */
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

/** Null for a zombie. */
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
