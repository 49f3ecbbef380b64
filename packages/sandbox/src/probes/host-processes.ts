import { readdirSync, readFileSync } from "node:fs";
import { processStart } from "@berth/linux";
import { PIPES_INSIDE } from "../inside/environment.ts";
import type { ProbeVariables } from "./prelude.ts";

/** Argument of process 1 of every sandbox. */
const SUPERVISOR = `${PIPES_INSIDE}/supervisor`;

/**
 * Finds processes of this machine that a probed sandbox must not reach, by their pids here: the neighbour's
 * canary, and the programs that started sandboxes and wait for their process 1.
 *
 * @returns variables for the probes: lists of `PID:START`, separated by commas, with the start in clock ticks
 * since boot. A variable is absent when there is no such process, as where sandboxes run on other machines.
 */
export function hostProcesses(tag: string): ProbeVariables {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const neighbours = pids.filter((pid) => read(pid, "cmdline").includes(`neighbour-${tag}\0`));
  const launchers = pids
    .filter((pid) => read(pid, "cmdline").split("\0").includes(SUPERVISOR))
    .map((pid) => read(pid, "status"))
    .filter((status) => /^NSpid:(\s+\d+)+\s+1$/m.test(status))
    .flatMap((status) => /^PPid:\s+(\d+)$/m.exec(status)?.[1] ?? []);
  return {
    ...(neighbours.length === 0 ? {} : { neighbour_processes: identify(neighbours) }),
    ...(launchers.length === 0 ? {} : { launcher_processes: identify(launchers) }),
  };
}

function identify(pids: readonly string[]): string {
  const found = [...new Set(pids)].flatMap((pid) => {
    const start = processStart(Number(pid));
    return start === undefined ? [] : [`${pid}:${start}`];
  });
  return found.join(",");
}

function read(pid: string, file: "cmdline" | "status"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
