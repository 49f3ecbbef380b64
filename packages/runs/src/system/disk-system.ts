import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { LAYERED_HOME, type Sandbox, type SystemLayers } from "@berth/sandbox";
import type { Disk } from "../disks/session-disk.ts";

/** The system of one sandbox. */
export interface SessionSystem {
  /** The layers; undefined for the engine's own system. */
  system: SystemLayers | undefined;
  /** Why parts of the environment are missing in the system, for people and models. */
  faults: readonly string[];
  /** Called when no sandbox uses the system. */
  release(): void;
}

/** The name that is recorded for the engine's own system. */
const HOST = "host";
const MAX_COPY_MS = 60_000;

/** Returns whether the disk's sandbox was last opened with the engine's own system. */
export async function wasOnHost(disk: Disk): Promise<boolean> {
  return (await lastSystem(disk)) === HOST;
}

/** Returns a note for the model if the disk was last opened on another release of Debian; empty otherwise. */
export async function newSuiteNote({ system }: SessionSystem, disk: Disk): Promise<string[]> {
  const former = suiteOf(await lastSystem(disk));
  const suite = system === undefined ? null : suiteOf(basename(system.rootFilesystem));
  if (former === null || suite === null || former === suite) return [];
  return [
    `[The operating system of this session is now Debian ${suite}; it was ${former}. Its programs, such as Python and Node.js, have newer versions. What was compiled here, or installed with pip or npm, may have to be built or installed again.]`,
  ];
}

/** Returns the release in the recorded name of a system; null for the engine's own system, or none. */
function suiteOf(name: string | null): string | null {
  return /^([a-z]+)-[0-9a-f]+( |$)/.exec(name ?? "")?.[1] ?? null;
}

/**
 * Opens a sandbox on a system, which is in use until the sandbox is closed, and records the system beside the
 * disk. If the layers are new to the disk, copies their home directory to it, except existing files.
 */
export async function openOnSystem(
  { system, release }: SessionSystem,
  disk: Disk,
  open: () => Promise<Sandbox>,
): Promise<Sandbox> {
  const sandbox = await open().catch((error) => {
    release();
    throw error;
  });
  sandbox.closed.then(release);
  try {
    const name = nameOf(system);
    if ((await lastSystem(disk)) === name) return sandbox;
    if ((system?.layers ?? []).length > 0) await copyHome(sandbox);
    await writeFile(fileOf(disk), name);
    return sandbox;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/** Copies the home directory. Files that cannot be copied, for example to a full disk, are left out. */
async function copyHome(sandbox: Sandbox): Promise<void> {
  const script = `cp -an ${LAYERED_HOME}/. /home/agent/`;
  await sandbox.run({ script, timeoutMs: MAX_COPY_MS });
}

function nameOf(system: SystemLayers | undefined): string {
  if (system === undefined) return HOST;
  return [system.rootFilesystem, ...(system.layers ?? []).map(layerOf)]
    .map((path) => basename(path))
    .join(" ");
}

/** Returns the directory of a layer, which is two levels above its changes. */
function layerOf(path: string): string {
  return dirname(dirname(path));
}

async function lastSystem(disk: Disk): Promise<string | null> {
  return await readFile(fileOf(disk), "utf8").catch(() => null);
}

/** Returns the file with the system's name. The agent cannot see it. */
function fileOf(disk: Disk): string {
  return join(disk.path, "system");
}
