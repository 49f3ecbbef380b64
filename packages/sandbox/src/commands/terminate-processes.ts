import { setTimeout as delay } from "node:timers/promises";
import type { Grace } from "../interface/sandbox.ts";
import type { SandboxProcess, SandboxView } from "./sandbox-view.ts";
import { signalProcesses } from "./signal-processes.ts";
import type { Supervisor } from "./supervisor.ts";

/** Milliseconds that processes have in all when somebody waits. */
const HURRIED_MS = 2_000;
/** Milliseconds between two looks: at first, and at most. */
const [FIRST_LOOK_MS, LAST_LOOK_MS] = [5, 200];

/**
 * Asks processes to end (SIGTERM, then SIGCONT for those that are stopped), and waits until they have, or the
 * grace is over. What is left is not killed.
 *
 * @param isAsked Which processes of the sandbox to ask.
 */
export async function terminateProcesses(
  { supervisor, view }: { supervisor: Supervisor; view: SandboxView },
  isAsked: (process: SandboxProcess) => boolean,
  { ms, hurry }: Grace,
): Promise<void> {
  const began = performance.now();
  const left = async () => (await view.processes()).filter(isAsked);
  const asked = await left();
  await signalProcesses(supervisor, "TERM", asked);
  await signalProcesses(supervisor, "CONT", asked);
  for (
    let look = FIRST_LOOK_MS;
    asked.length > 0 && !supervisor.gone;
    look = Math.min(LAST_LOOK_MS, look * 2)
  ) {
    // A process that has ended counts towards the sandbox's limit until it is reaped.
    await supervisor.request("reap");
    const allowed = hurry?.aborted ? Math.min(ms, HURRIED_MS) : ms;
    if (performance.now() - began >= allowed || (await left()).length === 0) return;
    await delay(look);
  }
}
