import { machineId } from "./machine-id.ts";
import { processStart } from "./process-start.ts";

/** Names this process as no other is ever named, on any machine: `<machine>.<pid>.<start of the process>`. */
export function thisProcess(): string {
  return [machineId(), process.pid, processStart(process.pid) ?? "0"].join(".");
}

/** A name for something of this process: `thisProcess()`, a dot, and the suffix. */
export function processName(suffix: string): string {
  return `${thisProcess()}.${suffix}`;
}

/**
 * What is known of the process in a name, or in the name of something of it. `elsewhere`: it belongs to another machine, another
 * boot of this one, or another pid namespace, so that its pid says nothing here. Null: the name is not that of a process.
 */
export function stateOfProcess(name: string): "alive" | "dead" | "elsewhere" | null {
  const [, machine, pid, started] = /^([0-9a-f]{12})\.(\d+)\.(\d+)(?:\.|$)/.exec(name) ?? [];
  if (machine === undefined) return null;
  if (machine !== machineId()) return "elsewhere";
  return processStart(Number(pid)) === started ? "alive" : "dead";
}

/** Whether the process in a name is known to be dead. On another machine or in another pid namespace it may be alive. */
export function isOfDeadProcess(name: string): boolean {
  return stateOfProcess(name) === "dead";
}
