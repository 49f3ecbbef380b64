import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { processStart } from "@berth/linux";

/**
 * A name for a worker in this process: `<machine>.<pid>.<start of the process>.<worker>`. It says which process it is
 * for as long as the machine runs, so that after a restart its own dead predecessor is known at once.
 */
export function workerOwner(): string {
  const started = processStart(process.pid) ?? "0";
  return [machine(), process.pid, started, randomBytes(4).toString("hex")].join(".");
}

/** Whether a worker's process is known to be gone. One on another machine, or in another container, may be alive. */
export function isDeadOwner(owner: string): boolean {
  const [where, pid, started] = owner.split(".");
  if (where !== machine()) return false;
  return processStart(Number(pid)) !== started;
}

/** The present run of the machine, and the namespace in which pids count. */
function machine(): string {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
  const namespace = readlinkSync("/proc/self/ns/pid");
  return createHash("sha256").update(`${boot}${namespace}`).digest("hex").slice(0, 12);
}
