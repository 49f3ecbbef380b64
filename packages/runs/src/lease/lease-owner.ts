import { randomBytes } from "node:crypto";
import { isOfDeadProcess, machineId, processName } from "@berth/linux";

/**
 * A new name for a worker of this process: `<machine>.<pid>.<start of the process>.<worker>.<host>`. It identifies the process, so
 * that a restarted service knows at once that its predecessor is dead.
 *
 * @param hostId as in `Host`.
 */
export function newOwnerName(hostId: string): string {
  return processName(`${randomBytes(4).toString("hex")}.${hostId}`);
}

/** Of the owner's process, on its machine. */
export function pidOfOwner(owner: string): number {
  return Number(owner.split(".")[1]);
}

/**
 * Whether the owner's process is known to be dead. On another machine or in another container it may be alive, unless it was
 * one of this host: only one service at a time has a host's data directory, and this process is part of it.
 */
export function isDeadOwner(owner: string, hostId: string): boolean {
  const [where, , , , host] = owner.split(".");
  return where === machineId() ? isOfDeadProcess(owner) : host === hostId;
}
