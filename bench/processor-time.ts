import { existsSync, mkdirSync, readFileSync, rmdirSync } from "node:fs";

const V1 = "/sys/fs/cgroup/cpuacct";
const V2 = "/sys/fs/cgroup";

/** A counter of the processor time that a command and all its descendants use, including ended ones. */
export interface ProcessorTime {
  /** The command prefix that starts the command. */
  wrapper: readonly string[];
  /** Returns milliseconds so far, user and system. */
  used(): number;
  /** Removes the group. Call it after the command and its descendants have ended. */
  remove(): void;
}

/** Creates a control group for one command, which only root can do. */
export function processorTime(name: string): ProcessorTime {
  const isV1 = existsSync(V1);
  const group = `${isV1 ? V1 : V2}/berth-bench-${name}-${process.pid}`;
  mkdirSync(group);
  const used = () => {
    if (isV1) return Number(readFileSync(`${group}/cpuacct.usage`, "utf8")) / 1e6;
    return Number(/^usage_usec (\d+)$/m.exec(readFileSync(`${group}/cpu.stat`, "utf8"))?.[1]) / 1e3;
  };
  const wrapper = ["/bin/sh", "-c", `echo $$ >${group}/cgroup.procs && exec "$@"`, "sh"];
  return { wrapper, used, remove: () => rmdirSync(group) };
}
