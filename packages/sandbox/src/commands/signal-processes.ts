import type { SandboxProcess } from "./sandbox-view.ts";
import type { Supervisor } from "./supervisor.ts";

const PIDS_PER_REQUEST = 200;

/** Sends a signal to processes; see `request`. Process 1 itself is left out. */
export function signalProcesses(
  supervisor: Supervisor,
  name: "STOP" | "CONT" | "TERM" | "KILL",
  processes: readonly SandboxProcess[],
): Promise<void> {
  return request(supervisor, ["signal", name], processes);
}

/** Kills the debuggers of processes. One may hold a process at its end, also one that SIGKILL has ended. */
export function killDebuggers(supervisor: Supervisor, processes: readonly SandboxProcess[]): Promise<void> {
  return request(supervisor, ["untrace"], processes);
}

/**
 * Has process 1 act on processes of its sandbox, by the pids there: a reused pid can only belong to the same
 * sandbox.
 */
async function request(
  supervisor: Supervisor,
  words: readonly string[],
  processes: readonly SandboxProcess[],
): Promise<void> {
  const pids = processes.map(({ insidePid }) => insidePid).filter((pid) => pid > 1);
  for (let at = 0; at < pids.length; at += PIDS_PER_REQUEST) {
    await supervisor.request(...words, ...pids.slice(at, at + PIDS_PER_REQUEST));
  }
}
