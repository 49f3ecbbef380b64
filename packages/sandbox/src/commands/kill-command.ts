import { setTimeout as delay } from "node:timers/promises";
import type { Marks } from "./marks.ts";
import { processesOfCommand, type Target } from "./processes-of-command.ts";
import type { SandboxProcess, SandboxView } from "./sandbox-view.ts";
import { killDebuggers, signalProcesses } from "./signal-processes.ts";
import type { Supervisor } from "./supervisor.ts";

interface KillDeps {
  supervisor: Supervisor;
  view: SandboxView;
  marks: Marks;
}

const MAX_ROUNDS = 40;

/** Rounds in which a debugger has time to let go of a process that was killed. */
const PATIENT_ROUNDS = 5;

/**
 * Kills all processes of a command, and no others but debuggers that hold one of them at its end. All are
 * stopped before any is killed, so that none forks in between.
 *
 * @returns false when some process still lived after all rounds.
 */
export async function killCommand({ supervisor, view, marks }: KillDeps, target: Target): Promise<boolean> {
  const startTick = await view.tickAt(target.startedAt);
  const known = { init: view.init, marks };
  const mine = (all: readonly SandboxProcess[]) => processesOfCommand(all, known, target, startTick);
  const stopped = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = mine(await view.processes());
    const fresh = found.filter(({ pid }) => !stopped.has(pid));
    if (fresh.length === 0) break;
    for (const { pid } of fresh) stopped.add(pid);
    await signalProcesses(supervisor, "STOP", fresh);
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const all = await view.processes();
    const left = new Set(mine(all));
    const found = all.filter((process) => left.has(process) || stopped.has(process.pid));
    if (found.length === 0) {
      // A killed process counts towards the sandbox's limit until it is reaped.
      await supervisor.request("reap");
      return true;
    }
    await signalProcesses(supervisor, "KILL", found);
    if (round >= PATIENT_ROUNDS) await killDebuggers(supervisor, found);
    if (round > 0) await delay(round);
  }
  return false;
}
