import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";

/**
 * Identifies the boot of this machine and the pid namespace: only where this is the same does a pid name the same process. Twelve
 * hexadecimal digits.
 */
export function machineId(): string {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
  const namespace = readlinkSync("/proc/self/ns/pid");
  return createHash("sha256").update(`${boot}${namespace}`).digest("hex").slice(0, 12);
}
