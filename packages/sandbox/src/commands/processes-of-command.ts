import type { Marks } from "./marks.ts";
import type { SandboxProcess } from "./sandbox-view.ts";

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
 * @param init `pid` of process 1.
 * @param startTick When the command started; see `SandboxView.tickAt`.
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
