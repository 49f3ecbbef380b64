import { readdirSync, readFileSync } from "node:fs";

/** The kinds of a service's processes. */
const PARTS = ["API", "runner", "PostgreSQL", "sandboxes"] as const;

export type CpuTimes = Record<(typeof PARTS)[number], number>;

/** The kernel counts in hundredths of a second, on every architecture that Node runs on. */
const TICK_MICROSECONDS = 10_000;

/** Returns the CPU time in microseconds, user and system, that the service's processes have used, by kind. */
export function cpuTimes(servicePid: number): CpuTimes {
  const processes = readProcesses();
  const times: CpuTimes = { API: 0, runner: 0, PostgreSQL: 0, sandboxes: 0 };
  const add = (pid: number) => {
    const found = processes.get(pid);
    if (found === undefined) return;
    times[partOf(found.command, pid === servicePid)] += found.microseconds;
    for (const [child, { parent }] of processes) if (parent === pid) add(child);
  };
  add(servicePid);
  return times;
}

/** Returns the CPU time of all processes together, also for a service that is not Berth. */
export function totalCpu(pid: number): number {
  return Object.values(cpuTimes(pid)).reduce((sum, time) => sum + time, 0);
}

/**
 * Describes the microseconds for each of `count` operations between two measurements, as in `API 210 µs,
 * PostgreSQL 130 µs`.
 */
export function cpuPerOperation(before: CpuTimes, after: CpuTimes, count: number): string {
  const each = PARTS.map((part) => [part, Math.round((after[part] - before[part]) / count)] as const);
  const total = each.reduce((sum, [, time]) => sum + time, 0);
  const used = each.filter(([, time]) => time > 0).map(([part, time]) => `${part} ${time}`);
  return `CPU ${total} µs each: ${used.join(", ")}`;
}

function partOf(command: string, isService: boolean): keyof CpuTimes {
  if (isService) return "API";
  if (command.includes("runner-process")) return "runner";
  return command.includes("postgres") ? "PostgreSQL" : "sandboxes";
}

interface Process {
  parent: number;
  command: string;
  microseconds: number;
}

function readProcesses(): Map<number, Process> {
  const found = new Map<number, Process>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // After the name, which may contain anything, in parentheses: state, parent, … user and system time.
      const fields = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      const ticks = Number(fields[11]) + Number(fields[12]);
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
      found.set(Number(name), {
        parent: Number(fields[1]),
        command,
        microseconds: ticks * TICK_MICROSECONDS,
      });
    } catch {
      // The process has ended.
    }
  }
  return found;
}
