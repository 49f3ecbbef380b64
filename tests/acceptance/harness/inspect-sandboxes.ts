import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { readlinkOrEmpty, readOrEmpty } from "./read-or-empty.ts";
import type { SecretScanner } from "./secret-scanner.ts";

/** The amount inspected; `memory` is in bytes. */
export interface InspectionCounts {
  processes: number;
  memory: number;
  files: number;
}

const CHUNK_BYTES = 1 << 20;
const OVERLAP_BYTES = 1 << 12;
const DIRECTORIES = ["data", "home", "tmp", "etc", "opt", "mnt", "dev/shm", "run", "var", "workspace"];

/**
 * Scans the sandboxes of a service from the host: arguments, variables, memory and files of their processes.
 * Runs as root, so it sees more than any program inside. @throws if it finds a secret of the scanner.
 */
export function inspectSandboxes(service: number, scanner: SecretScanner): InspectionCounts {
  return inspectProcesses(sandboxedProcesses(service), scanner);
}

/** Scans these processes of this machine in the same way. */
export function inspectProcesses(pids: readonly number[], scanner: SecretScanner): InspectionCounts {
  const counts: InspectionCounts = { processes: 0, memory: 0, files: 0 };
  const roots = new Set<string>();
  for (const pid of pids) {
    counts.processes += 1;
    const name = readOrEmpty(`/proc/${pid}/comm`).trim();
    for (const file of ["environ", "cmdline"])
      scanner.check(`${file} of ${name}`, readOrEmpty(`/proc/${pid}/${file}`));
    counts.memory += scanMemory(pid, (part) => scanner.check(`the memory of ${name}`, part));
    const namespace = readlinkOrEmpty(`/proc/${pid}/ns/mnt`);
    if (roots.has(namespace)) continue;
    roots.add(namespace);
    for (const directory of DIRECTORIES) {
      counts.files += scanFiles(`/proc/${pid}/root/${directory}`, (path, part) => scanner.check(path, part));
    }
  }
  return counts;
}

/** Returns the descendants of the service that are in another PID namespace. */
function sandboxedProcesses(service: number): number[] {
  const own = readlinkOrEmpty("/proc/self/ns/pid");
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const parent = /^PPid:\t(\d+)$/m.exec(/^\d+$/.test(name) ? readOrEmpty(`/proc/${name}/status`) : "")?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isDescendant = (pid: number): boolean => {
    for (
      let at = parents.get(pid), steps = 0;
      at !== undefined && steps < 64;
      at = parents.get(at), steps++
    ) {
      if (at === service) return true;
    }
    return false;
  };
  return [...parents.keys()].filter((pid) => {
    const namespace = readlinkOrEmpty(`/proc/${pid}/ns/pid`);
    return namespace !== "" && namespace !== own && isDescendant(pid);
  });
}

function scanMemory(pid: number, check: (part: string) => void): number {
  let bytes = 0;
  let file: number;
  try {
    file = openSync(`/proc/${pid}/mem`, "r");
  } catch {
    return 0;
  }
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (const line of readOrEmpty(`/proc/${pid}/maps`).split("\n")) {
      const [, from = "", to = ""] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
      const end = Number.parseInt(to, 16);
      for (let at = Number.parseInt(from, 16); at < end; at += CHUNK_BYTES - OVERLAP_BYTES) {
        const read = readAt(file, buffer, Math.min(CHUNK_BYTES, end - at), at);
        if (read === 0) break;
        check(buffer.toString("latin1", 0, read));
        bytes += read;
      }
    }
  } finally {
    closeSync(file);
  }
  return bytes;
}

function readAt(file: number, buffer: Buffer, length: number, position: number): number {
  try {
    return readSync(file, buffer, 0, length, position);
  } catch {
    return 0;
  }
}

function scanFiles(directory: string, check: (path: string, part: string) => void): number {
  let files = 0;
  for (const entry of entries(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) files += scanFiles(path, check);
    if (!entry.isFile() || statSync(path, { throwIfNoEntry: false })?.size === 0) continue;
    files += 1;
    check(path, readOrEmpty(path));
  }
  return files;
}

function entries(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
