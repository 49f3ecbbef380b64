import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { type Machine, readMachine } from "@berth/linux";
import type { Config } from "./config.ts";

/** Maximum resources that an environment can request, by the names of its `resources`. */
export interface Ceilings {
  cpus: number;
  memory_mb: number;
  pids: number;
  disk_mb: number;
}

export type CeilingSettings = Pick<Config, "maxCpus" | "maxMemoryMb" | "maxPids" | "maxDiskMb" | "dataDir"> &
  Partial<Pick<Config, "role" | "sandbox">>;

/** Share of the machine that all sessions together may use. The rest is for the service and the machine. */
const SHARE_OF_ALL = 0.9;
/** Open files that each process can have at least, whatever the number of processes of a session. */
const OPEN_FILES_OF_PROCESS = 256;
const MEBIBYTE = 1024 * 1024;
/**
 * Processes of a session whose environment sets no number; fewer, down to the second number, where a session
 * with so many would have less than this number of open files for each.
 */
const [USUAL_PIDS, LEAST_USUAL_PIDS, USUAL_OPEN_FILES] = [4_096, 512, 2_048];
/** Ranges of the fields, which limit the values that are derived from the machine. */
const [FEWEST_PIDS, MOST_PIDS, LEAST_MB, MOST_MB, MOST_CPUS] = [16, 1_000_000, 64, 1_048_576, 256];

/**
 * Defaults for pods. They do not depend on the machine of this process or on the cluster's nodes: a pod needs
 * only one node with room, and common node sizes have this much.
 */
const OF_PODS: Ceilings = { cpus: 4, memory_mb: 8_192, pids: 1_024, disk_mb: 51_200 };
/** Upper ends of the ranges that an environment's fields accept. */
const UNBOUNDED: Ceilings = { cpus: MOST_CPUS, memory_mb: MOST_MB, pids: MOST_PIDS, disk_mb: MOST_MB };

/**
 * Returns the ceilings of the operator's settings. Default: half of the machine's memory, processes, open
 * files and disk, and all of its processors, since CPU time is shared fairly among sessions. A service
 * without sandboxes has no defaults of a machine; the machine of a session lowers what it does not allow.
 * Pods have their own defaults.
 * @param diskBytes Size in bytes of the volume of the data directory.
 */
export function readCeilings(
  settings: CeilingSettings,
  machine: Machine = readMachine(),
  diskBytes: number = volumeBytes(settings.dataDir),
): Ceilings {
  const defaults = defaultsOf(settings, machine, diskBytes);
  return {
    cpus: settings.maxCpus ?? defaults.cpus,
    memory_mb: settings.maxMemoryMb ?? defaults.memory_mb,
    pids: settings.maxPids ?? defaults.pids,
    disk_mb: settings.maxDiskMb ?? defaults.disk_mb,
  };
}

function defaultsOf({ role, sandbox }: CeilingSettings, machine: Machine, diskBytes: number): Ceilings {
  if (sandbox === "kubernetes") return OF_PODS;
  return role === "api" ? UNBOUNDED : ofMachine(machine, diskBytes);
}

function ofMachine({ cpus, memoryBytes, pids, openFiles }: Machine, diskBytes: number): Ceilings {
  const half = (amount: number, least: number, most: number) =>
    Math.min(most, Math.max(least, Math.floor(amount / 2)));
  return {
    cpus,
    memory_mb: half(memoryBytes / MEBIBYTE, LEAST_MB, MOST_MB),
    pids: half(Math.min(pids, openFiles / OPEN_FILES_OF_PROCESS), FEWEST_PIDS, MOST_PIDS),
    disk_mb: half(diskBytes / MEBIBYTE, LEAST_MB, MOST_MB),
  };
}

/**
 * Returns how many processes a session has whose environment sets no number, if its ceiling allows them. All
 * its processes together may fill half of the machine's table of open files, so a small table leaves fewer.
 */
export function usualPids(
  { sandbox, role }: Pick<CeilingSettings, "sandbox" | "role">,
  { openFiles }: Machine = readMachine(),
): number {
  if (sandbox === "kubernetes" || role === "api") return USUAL_PIDS;
  return Math.min(USUAL_PIDS, Math.max(LEAST_USUAL_PIDS, Math.floor(openFiles / 2 / USUAL_OPEN_FILES)));
}

/** Returns the memory and the number of processes that all sessions together may use. */
export function sharedLimits(machine: Machine = readMachine()): { memoryBytes: number; pids: number } {
  return {
    // The kernel counts pages, so the limit is rounded to whole MiB.
    memoryBytes: Math.floor((machine.memoryBytes * SHARE_OF_ALL) / MEBIBYTE) * MEBIBYTE,
    pids: Math.floor(machine.pids * SHARE_OF_ALL),
  };
}

/** Returns the size in bytes of the volume of a directory, which may not exist yet. */
export function volumeBytes(directory: string): number {
  if (!existsSync(directory)) return volumeBytes(dirname(directory));
  const { blocks, bsize } = statfsSync(directory);
  return blocks * bsize;
}
