import type { SandboxSpec } from "@berth/sandbox";

const LIMITS = { memoryBytes: 512 * 2 ** 20, pids: 128, cpus: 2, diskBytes: null };

/** Returns a sandbox with its own disk and no network access. */
export function benchSpec(id: string, disk: string): SandboxSpec {
  return {
    id,
    disk,
    uid: 300_000,
    limits: LIMITS,
    egress: { mode: "limited", hosts: [] },
    files: [],
    writable: [],
  };
}
