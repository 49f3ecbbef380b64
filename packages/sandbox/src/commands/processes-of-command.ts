import type { Marks } from "./marks.ts";
import type { SandboxProcess } from "./sandbox-view.ts";

/** A command whose processes are to be killed. */
export interface Target {
  mark: number;
  /** Session id in the sandbox of the session that the command's shell leads. */
  session: number;
  /** Start time of the command, by `performance.now`. */
  startedAt: number;
  /** Whether no other command runs in the sandbox. */
  alone: boolean;
  /** Pid in the sandbox of a shell that leads the session and is not killed. */
  spare?: number;
}

/**
 * Returns the processes of a command. These are the processes with its mark, and those without a mark in its
 * shell's session or below one of its processes. While it runs alone, every newer orphan of process 1 counts,
 * too. A job that an earlier command of the same shell left has another mark and is not included.
 *
 * @param init `pid` of process 1.
 * @param startTick Start time of the command; see `SandboxView.tickAt`.
 */
export function processesOfCommand(
  all: readonly SandboxProcess[],
  { init, marks }: { init: number; marks: Marks },
  target: Target,
  startTick: number,
): SandboxProcess[] {
  const byPid = new Map(all.map((process) => [process.pid, process]));
  const decided = new Map<number, boolean>();
  const belongs = (process: SandboxProcess): boolean => {
    const known = decided.get(process.pid);
    if (known !== undefined) return known;
    decided.set(process.pid, false);
    const mark = marks.known(process.fileLocks);
    const result = mark === null ? unmarked(process) : mark === target.mark;
    decided.set(process.pid, result);
    return result;
  };
  const unmarked = (process: SandboxProcess): boolean => {
    if (process.insideSession === target.session) return true;
    const parent = byPid.get(process.parent);
    if (parent) return belongs(parent);
    return target.alone && process.parent === init && process.startTick >= startTick;
  };
  return all.filter((process) => process.insidePid !== target.spare && belongs(process));
}
