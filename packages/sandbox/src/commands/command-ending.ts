import type { Command, CommandResult } from "../interface/command.ts";
import type { CommandEnd } from "./frame-reader.ts";
import type { Supervisor } from "./supervisor.ts";

const POLL_MS = 1000;
/** Status of `wait` for a child whose status is lost. */
const STATUS_LOST = 127;
const KILLED = 137;
const CANNOT_START = 126;

/** The end of a command, as reported by whatever noticed it first. */
export type Ending =
  | { ended: "exit"; end: CommandEnd }
  | { ended: "died"; exitCode: number }
  | { ended: "timeout" | "aborted" | "closed" };

/** Returns the end as fields of `CommandResult`. */
export function endOf(end: Ending): Pick<CommandResult, "ended" | "exitCode"> {
  if (end.ended === "exit") return { ended: "exit", exitCode: end.end.exitCode };
  return end.ended === "died"
    ? { ended: "exit", exitCode: end.exitCode }
    : { ended: end.ended, exitCode: null };
}

interface EndingDeps {
  supervisor: Supervisor;
  gone: AbortSignal;
}

/** Reports a timeout, an abort and the end of the sandbox. Returns a function that stops this. */
export function watch(
  deps: EndingDeps,
  work: Pick<Command, "timeoutMs" | "signal">,
  resolve: (ending: Ending) => void,
): () => void {
  const timer = setTimeout(() => resolve({ ended: "timeout" }), Math.min(work.timeoutMs, 2 ** 31 - 1));
  const onAbort = () => resolve({ ended: "aborted" });
  const onGone = () => resolve({ ended: "closed" });
  work.signal?.addEventListener("abort", onAbort, { once: true });
  deps.gone.addEventListener("abort", onGone, { once: true });
  if (work.signal?.aborted) onAbort();
  if (deps.gone.aborted) onGone();
  return () => {
    clearTimeout(timer);
    work.signal?.removeEventListener("abort", onAbort);
    deps.gone.removeEventListener("abort", onGone);
  };
}

/**
 * Notices a shell that died without reporting its exit. It polls soon after one of the shell's pipes closed,
 * and each second, since a process that the shell left may hold them open. A closed pipe alone proves
 * nothing, because `exec` closes them, too. The request also makes process 1 reap orphans. Returns a function
 * that stops this.
 */
export function poll(
  deps: EndingDeps,
  pid: number,
  pipeClosed: Promise<void>,
  resolve: (ending: Ending) => void,
): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const request = async (wait: number) => {
    clearTimeout(timer);
    const status = await deps.supervisor.request("poll", pid);
    if (stopped) return;
    if (status !== null) resolve({ ended: "died", exitCode: status === STATUS_LOST ? KILLED : status });
    else timer = setTimeout(() => void request(Math.min(2 * wait, POLL_MS)), wait);
  };
  timer = setTimeout(() => void request(POLL_MS), POLL_MS);
  void pipeClosed.then(() => (stopped ? undefined : request(2)));
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/**
 * Reports that the shell could not start, because the sandbox is at its process limit; not when the sandbox
 * has ended.
 */
export function noShell(deps: EndingDeps, resolve: (ending: Ending) => void): () => void {
  if (!deps.supervisor.gone) resolve({ ended: "died", exitCode: CANNOT_START });
  return () => {};
}
