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
const PAGE_BYTES = 1 << 12;
/** Size of the entry of a page in `/proc/PID/pagemap`, little-endian. */
const ENTRY_BYTES = 8;
/** The two highest bits of such an entry, in its last byte. */
const PRESENT_OR_SWAPPED = 0xc0;
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
  const namespaces = new Set<string>();
  for (const pid of pids) {
    counts.processes += 1;
    const name = readOrEmpty(`/proc/${pid}/comm`).trim();
    for (const file of ["environ", "cmdline"])
      scanner.check(`${file} of ${name}`, readOrEmpty(`/proc/${pid}/${file}`));
    counts.memory += scanMemory(pid, (part) => scanner.check(`the memory of ${name}`, part));
    const namespace = readlinkOrEmpty(`/proc/${pid}/ns/mnt`);
    // What starts a container has this machine's root until it has entered the container's.
    if (namespaces.has(namespace) || rootOf(pid) === rootOf("self")) continue;
    namespaces.add(namespace);
    for (const directory of DIRECTORIES) {
      counts.files += scanFiles(`/proc/${pid}/root/${directory}`, (path, part) => scanner.check(path, part));
    }
  }
  return counts;
}

/** Returns what identifies the root directory of a process; "" when the process has ended. */
function rootOf(pid: number | "self"): string {
  try {
    const { dev, ino } = statSync(`/proc/${pid}/root/`);
    return `${dev} ${ino}`;
  } catch {
    return "";
  }
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

/**
 * Passes all memory of a process that it may have written. Pages that a private mapping never used are skipped,
 * of which a runtime such as Node.js has half a gigabyte.
 */
function scanMemory(pid: number, check: (part: string) => void): number {
  let bytes = 0;
  const [memory, pages] = [openOrNull(`/proc/${pid}/mem`), openOrNull(`/proc/${pid}/pagemap`)];
  try {
    if (memory === null) return 0;
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (const line of readOrEmpty(`/proc/${pid}/maps`).split("\n")) {
      const [, from = "", to = "", sharing] = /^([0-9a-f]+)-([0-9a-f]+) rw.([ps])/.exec(line) ?? [];
      const parts = partsOf(Number.parseInt(from, 16), Number.parseInt(to, 16));
      // A part that is read is in memory from then on, and with it the beginning of the next one.
      const used = sharing === "s" ? parts : parts.filter((part) => isUsed(pages, part));
      for (const { at, length } of used) {
        const read = readAt(memory, buffer, length, at);
        if (read === 0) break;
        check(buffer.toString("latin1", 0, read));
        bytes += read;
      }
    }
  } finally {
    for (const file of [memory, pages]) if (file !== null) closeSync(file);
  }
  return bytes;
}

/** Divides a range of memory into parts that overlap, so that a secret is whole in one of them. */
function partsOf(from: number, to: number): { at: number; length: number }[] {
  const parts = [];
  for (let at = from; at < to; at += CHUNK_BYTES - OVERLAP_BYTES)
    parts.push({ at, length: Math.min(CHUNK_BYTES, to - at) });
  return parts;
}

/** Returns whether a page of the part is in memory or swapped out, or that is unknown. */
function isUsed(pages: number | null, { at, length }: { at: number; length: number }): boolean {
  if (pages === null) return true;
  const entries = Buffer.alloc((ENTRY_BYTES * length) / PAGE_BYTES);
  const read = readAt(pages, entries, entries.length, (ENTRY_BYTES * at) / PAGE_BYTES);
  if (read < entries.length) return true;
  for (let entry = ENTRY_BYTES - 1; entry < read; entry += ENTRY_BYTES)
    if (((entries[entry] ?? 0) & PRESENT_OR_SWAPPED) !== 0) return true;
  return false;
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch {
    return null;
  }
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
