import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { type Machine, readMachine } from "@berth/linux";
import type { Config } from "./config.ts";

/** The most that an environment can ask for, by the names of its `resources`. */
export interface Ceilings {
  cpus: number;
  memory_mb: number;
  pids: number;
  disk_mb: number;
}

export type CeilingSettings = Pick<Config, "maxCpus" | "maxMemoryMb" | "maxPids" | "maxDiskMb" | "dataDir"> &
  Partial<Pick<Config, "role" | "sandbox">>;

/** What all sessions may use together: the rest is for the service and the machine. */
const SHARE_OF_ALL = 0.9;
/** A process has at least so many, however many processes a session can have. */
const OPEN_FILES_OF_PROCESS = 256;
const MEBIBYTE = 1024 * 1024;
/** Ranges of the fields, which bound what is derived from the machine. */
const [FEWEST_PIDS, MOST_PIDS, LEAST_MB, MOST_MB, MOST_CPUS] = [16, 1_000_000, 64, 1_048_576, 256];

/**
 * Where sandboxes are pods, whatever the machine of this process is: a cluster's nodes are not asked, and one pod needs only one of them that
 * has room. A node of the common sizes has it.
 */
const OF_PODS: Ceilings = { cpus: 4, memory_mb: 8_192, pids: 1_024, disk_mb: 51_200 };
/** What an environment can say at all. */
const UNBOUNDED: Ceilings = { cpus: MOST_CPUS, memory_mb: MOST_MB, pids: MOST_PIDS, disk_mb: MOST_MB };

/**
 * The operator's settings, and where there is none what the machine allows: half of its memory, processes, open files and disk. Processor time
 * is shared fairly among sessions that want more than there is, so one may have all processors. A service without sandboxes has only the
 * settings: what the machine of a session does not allow is lowered there. Pods have defaults of their own.
 *
 * @param diskBytes Size of the volume of the data directory.
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

/** What all sessions may use together. */
export function sharedLimits(machine: Machine = readMachine()): { memoryBytes: number; pids: number } {
  return {
    // Whole MiB: the kernel counts pages.
    memoryBytes: Math.floor((machine.memoryBytes * SHARE_OF_ALL) / MEBIBYTE) * MEBIBYTE,
    pids: Math.floor(machine.pids * SHARE_OF_ALL),
  };
}

/** Size of the volume of a directory, which may not exist yet. */
export function volumeBytes(directory: string): number {
  if (!existsSync(directory)) return volumeBytes(dirname(directory));
  const { blocks, bsize } = statfsSync(directory);
  return blocks * bsize;
}
