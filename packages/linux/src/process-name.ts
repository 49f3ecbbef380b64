import { machineId } from "./machine-id.ts";
import { processStart } from "./process-start.ts";

/** A name for something of this process: `<machine>.<pid>.<start of the process>.<suffix>`. */
export function processName(suffix: string): string {
  return [machineId(), process.pid, processStart(process.pid) ?? "0", suffix].join(".");
}

/** Whether the process in a name is known to be dead. On another machine or in another pid namespace it may be alive. */
export function isOfDeadProcess(name: string): boolean {
  const [machine, pid, started] = name.split(".");
  return machine === machineId() && started !== undefined && processStart(Number(pid)) !== started;
}
