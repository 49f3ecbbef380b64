import { machineId } from "./machine-id.ts";
import { processStart } from "./process-start.ts";

/**
 * Returns a name that no other process ever has, on any machine: `<machine>.<pid>.<start of the process>`.
 */
export function thisProcess(): string {
  return [machineId(), process.pid, processStart(process.pid) ?? "0"].join(".");
}

/** Returns a name for something that belongs to this process: `thisProcess()`, a dot and the suffix. */
export function processName(suffix: string): string {
  return `${thisProcess()}.${suffix}`;
}

/**
 * Returns the state of the process that a name contains. `elsewhere` means another machine, another boot of
 * this one or another pid namespace, so that the pid means nothing here. Returns null when the name contains
 * no process.
 */
export function stateOfProcess(name: string): "alive" | "dead" | "elsewhere" | null {
  const [, machine, pid, started] = /^([0-9a-f]{12})\.(\d+)\.(\d+)(?:\.|$)/.exec(name) ?? [];
  if (machine === undefined) return null;
  if (machine !== machineId()) return "elsewhere";
  return processStart(Number(pid)) === started ? "alive" : "dead";
}

/**
 * Returns whether the process in a name is known to be dead. On another machine or in another pid namespace
 * it may be alive.
 */
export function isOfDeadProcess(name: string): boolean {
  return stateOfProcess(name) === "dead";
}
