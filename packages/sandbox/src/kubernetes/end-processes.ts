import { setTimeout as delay } from "node:timers/promises";
import type { SandboxView } from "../commands/sandbox-view.ts";
import type { Supervisor } from "../commands/supervisor.ts";
import { SandboxError } from "../interface/errors.ts";
import type { ProcessOne } from "./process-one.ts";

/** Some seconds in all: another pod would take as long. */
const MAX_ROUNDS = 80;
/** Ends a request of which the former server wrote only the beginning. */
const NEW_LINE = "\n";
/** Every process that process 1 can see, and not itself. */
const ALL = ["--", "-1"];

/**
 * Ends everything in the pod of an earlier lease but process 1: the shells and commands that ran there, and what they had left in the
 * background. What the former holder had asked of process 1 has been done before, since its requests are in the same pipe.
 *
 * @throws SandboxError when some of it still lives, or process 1 does not respond.
 */
export async function endProcesses(
  processOne: ProcessOne,
  supervisor: Supervisor,
  view: SandboxView,
): Promise<void> {
  processOne.input.write(NEW_LINE);
  await supervisor.request("signal", "KILL", ...ALL);
  for (let round = 0; round < MAX_ROUNDS && !supervisor.gone; round++) {
    // A killed process counts against the sandbox's limit until it is reaped.
    await supervisor.request("reap");
    if ((await view.processes()).length === 0 && !supervisor.gone) return;
    await delay(round);
  }
  throw new SandboxError("processes of a former sandbox could not be ended");
}
