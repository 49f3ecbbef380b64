import { randomBytes } from "node:crypto";
import { machineId, processStart } from "@berth/linux";

/**
 * A new name for a worker of this process: `<machine>.<pid>.<start of the process>.<worker>`. It identifies the process while the
 * machine runs, so that a restarted service knows at once that its predecessor is dead.
 */
export function newOwnerName(): string {
  const started = processStart(process.pid) ?? "0";
  return [machineId(), process.pid, started, randomBytes(4).toString("hex")].join(".");
}

/** Whether the owner's process is known to be dead. On another machine or in another container it may be alive. */
export function isDeadOwner(owner: string): boolean {
  const [where, pid, started] = owner.split(".");
  if (where !== machineId()) return false;
  return processStart(Number(pid)) !== started;
}
