import { randomBytes } from "node:crypto";
import { isOfDeadProcess, machineId, processName } from "@berth/linux";

/**
 * Returns a new name for a worker of this process: `<machine>.<pid>.<start of the process>.<worker>.<host>`.
 * It identifies the process, so that a restarted service knows at once that its predecessor is dead.
 *
 * @param hostId as in `Host`.
 */
export function newOwnerName(hostId: string): string {
  return processName(`${randomBytes(4).toString("hex")}.${hostId}`);
}

/** Returns the pid of the owner's process, on its machine. */
export function pidOfOwner(owner: string): number {
  return Number(owner.split(".")[1]);
}

/**
 * Returns whether the owner's process is known to be dead. A process on another machine or in another
 * container may be alive, unless it was one of this host. Only one service at a time has a host's data
 * directory, and this process is part of it.
 */
export function isDeadOwner(owner: string, hostId: string): boolean {
  const [where, , , , host] = owner.split(".");
  return where === machineId() ? isOfDeadProcess(owner) : host === hostId;
}
