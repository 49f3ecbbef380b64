import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";

/**
 * Returns an id of this boot of the machine and the pid namespace, in twelve hexadecimal digits. A pid names
 * the same process only where this id is the same.
 */
export function machineId(): string {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
  const namespace = readlinkSync("/proc/self/ns/pid");
  return createHash("sha256").update(`${boot}${namespace}`).digest("hex").slice(0, 12);
}
