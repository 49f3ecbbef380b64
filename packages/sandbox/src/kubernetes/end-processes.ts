import { setTimeout as delay } from "node:timers/promises";
import type { SandboxView } from "../commands/sandbox-view.ts";
import type { Supervisor } from "../commands/supervisor.ts";
import { SandboxError } from "../interface/errors.ts";
import type { ProcessOne } from "./process-one.ts";

/** Number of checks; some seconds in all, since another pod would take as long. */
const MAX_ROUNDS = 80;
/** Ends a request that the earlier server wrote only partly. */
const NEW_LINE = "\n";
/** Arguments for all processes that process 1 can see, except itself. */
const ALL = ["--", "-1"];

/**
 * Ends everything in the pod of an earlier lease except process 1: running shells and commands, and their
 * background processes. Process 1 has already handled earlier requests of the former holder, because they are
 * in the same pipe.
 *
 * @throws SandboxError when a process still lives, or process 1 does not respond.
 */
export async function endProcesses(
  processOne: ProcessOne,
  supervisor: Supervisor,
  view: SandboxView,
): Promise<void> {
  processOne.input.write(NEW_LINE);
  await supervisor.request("signal", "KILL", ...ALL);
  for (let round = 0; round < MAX_ROUNDS && !supervisor.gone; round++) {
    // A killed process counts towards the sandbox's limit until it is reaped.
    await supervisor.request("reap");
    if ((await view.processes()).length === 0 && !supervisor.gone) return;
    await delay(round);
  }
  throw new SandboxError("processes of a former sandbox could not be ended");
}
