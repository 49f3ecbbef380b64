import { closeSync, existsSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { LimitGauge } from "../commands/limit-gauge.ts";
import { socketBuffers } from "../host/cgroup/cgroup-layouts.ts";
import { cgroupGauge } from "../host/cgroup-gauge.ts";
import { SandboxError } from "../interface/errors.ts";

/**
 * Opens a namespace of a container's process 1. The pid comes from the container engine. If that runs on
 * another machine, or in another PID namespace, the pid names an unrelated process here, whose namespaces
 * must not be touched. So the process must be in a control group of the container, before and after its
 * namespace is opened. The namespace must also differ from this process's.
 *
 * @throws SandboxError when that is not so.
 */
export function openNamespace(container: string, pid: number, kind: "net" | "mnt"): number {
  const notHere = new SandboxError(
    "The container engine runs its containers where Berth cannot see them: it has to be on the same machine, without a virtual machine between, and Berth in the machine's own pid namespace.",
  );
  if (!Number.isSafeInteger(pid) || pid < 2 || !isIn(container, pid)) throw notHere;
  const fd = openSync(`/proc/${pid}/ns/${kind}`, "r");
  if (isIn(container, pid) && readlinkSync(`/proc/self/fd/${fd}`) !== readlinkSync(`/proc/self/ns/${kind}`))
    return fd;
  closeSync(fd);
  throw notHere;
}

function isIn(container: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, "latin1").includes(container);
  } catch {
    return false;
  }
}

/**
 * Returns a gauge that reads the counters of a container's control groups.
 *
 * @param init Host pid of process 1.
 */
export function containerGauge(init: number): LimitGauge {
  return cgroupGauge(groupOf(init, "memory"), groupOf(init, "pids"));
}

/**
 * Limits socket buffers where the kernel counts them apart from memory. Container engines have no option for
 * it that works in all versions.
 */
export async function limitSocketBuffers(init: number, memoryBytes: number): Promise<void> {
  const { file, value } = socketBuffers(memoryBytes);
  await writeFile(`${groupOf(init, "memory")}/${file}`, value, { flag: "r+" }).catch(() => {});
}

/**
 * Returns the directory of the control group of a container's process 1; undefined when it is not visible.
 */
function groupOf(init: number, controller: "memory" | "pids"): string | undefined {
  const membership = readMembership(init);
  const [root, path] = membership.has(controller)
    ? [`/sys/fs/cgroup/${controller}`, membership.get(controller)]
    : ["/sys/fs/cgroup", membership.get("")];
  return path !== undefined && existsSync(`${root}${path}`) ? `${root}${path}` : undefined;
}

/**
 * Returns paths of control groups by controller. Version 1 has one for each, version 2 one for all, under the
 * empty name.
 */
function readMembership(pid: number): Map<string, string> {
  try {
    const lines = readFileSync(`/proc/${pid}/cgroup`, "latin1").trim().split("\n");
    return new Map(
      lines.flatMap((line) => {
        const [, controllers = "", path = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
        return controllers.split(",").map((controller): [string, string] => [controller, path]);
      }),
    );
  } catch {
    return new Map();
  }
}
