import type { SandboxSpec } from "@berth/sandbox";

const limits = { memoryBytes: 512 * 2 ** 20, pids: 128, cpus: 2, diskBytes: null };

/** A sandbox on a disk of its own that reaches nothing. */
export function benchSpec(id: string, disk: string): SandboxSpec {
  return { id, disk, uid: 300_000, limits, egress: { mode: "limited", hosts: [] }, files: [], writable: [] };
}
