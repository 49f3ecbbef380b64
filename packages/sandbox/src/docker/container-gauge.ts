import { existsSync, readFileSync } from "node:fs";
import { cgroupGauge, type LimitGauge } from "../host/cgroup-gauge.ts";

/**
 * Reads what the control groups of a container count. Its limits are there where process 1 is.
 * @param init Host pid of process 1.
 */
export function containerGauge(init: number): LimitGauge {
  const membership = readMembership(init);
  const directory = (controller: string) => {
    const [root, path] = membership.has(controller)
      ? [`/sys/fs/cgroup/${controller}`, membership.get(controller)]
      : ["/sys/fs/cgroup", membership.get("")];
    return path !== undefined && existsSync(`${root}${path}`) ? `${root}${path}` : undefined;
  };
  return cgroupGauge(directory("memory"), directory("pids"));
}

/** Controllers to the paths of their groups: version 1 names each, version 2 has one for all, without a name. */
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
