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
  Partial<Pick<Config, "role">>;

/** What all sessions may use together: the rest is for the service and the machine. */
const SHARE_OF_ALL = 0.9;
/** A process has at least so many, however many processes a session can have. */
const OPEN_FILES_OF_PROCESS = 256;
const MEBIBYTE = 1024 * 1024;
/** Ranges of the fields, which bound what is derived from the machine. */
const [FEWEST_PIDS, MOST_PIDS, LEAST_MB, MOST_MB, MOST_CPUS] = [16, 1_000_000, 64, 1_048_576, 256];

/**
 * The operator's settings, and what the machine allows where there is none: half of its memory, processes, open files and disk. Processor time
 * is shared fairly among sessions that want more than there is, so one may have all processors. A service without sandboxes has only the
 * settings: what the machine of a session does not allow is lowered there.
 *
 * @param diskBytes Size of the volume of the data directory.
 */
export function readCeilings(
  settings: CeilingSettings,
  machine: Machine = readMachine(),
  diskBytes: number = volumeBytes(settings.dataDir),
): Ceilings {
  if (settings.role === "api") return givenCeilings(settings);
  const half = (amount: number, least: number, most: number) =>
    Math.min(most, Math.max(least, Math.floor(amount / 2)));
  const processes = Math.min(machine.pids, machine.openFiles / OPEN_FILES_OF_PROCESS);
  return {
    cpus: settings.maxCpus ?? machine.cpus,
    memory_mb: settings.maxMemoryMb ?? half(machine.memoryBytes / MEBIBYTE, LEAST_MB, MOST_MB),
    pids: settings.maxPids ?? half(processes, FEWEST_PIDS, MOST_PIDS),
    disk_mb: settings.maxDiskMb ?? half(diskBytes / MEBIBYTE, LEAST_MB, MOST_MB),
  };
}

function givenCeilings({ maxCpus, maxMemoryMb, maxPids, maxDiskMb }: CeilingSettings): Ceilings {
  return {
    cpus: maxCpus ?? MOST_CPUS,
    memory_mb: maxMemoryMb ?? MOST_MB,
    pids: maxPids ?? MOST_PIDS,
    disk_mb: maxDiskMb ?? MOST_MB,
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

/** The directory may not exist yet. */
function volumeBytes(directory: string): number {
  if (!existsSync(directory)) return volumeBytes(dirname(directory));
  const { blocks, bsize } = statfsSync(directory);
  return blocks * bsize;
}
