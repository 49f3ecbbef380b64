import { closeSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { SandboxError } from "../interface/errors.ts";

/**
 * Opens the network namespace of a container's process 1. The pid is the engine's word: an engine on another machine, or in
 * another pid namespace, would name a stranger here, whose network must not be touched. So the process has to be in a control
 * group of the container, also once its namespace is open, and in another network than this one.
 *
 * @throws SandboxError when it is not.
 */
export function openNetwork(container: string, pid: number): number {
  const elsewhere = new SandboxError(
    "The container engine runs its containers where Berth cannot see them: it has to be on the same machine, without a virtual machine between, and Berth in the machine's own pid namespace.",
  );
  if (!Number.isSafeInteger(pid) || pid < 2 || !isIn(container, pid)) throw elsewhere;
  const fd = openSync(`/proc/${pid}/ns/net`, "r");
  if (isIn(container, pid) && readlinkSync(`/proc/self/fd/${fd}`) !== readlinkSync("/proc/self/ns/net"))
    return fd;
  closeSync(fd);
  throw elsewhere;
}

function isIn(container: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, "latin1").includes(container);
  } catch {
    return false;
  }
}
