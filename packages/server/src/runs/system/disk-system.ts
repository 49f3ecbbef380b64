import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { SystemLayers } from "@berth/sandbox";
import type { Disk } from "../disks/disk.ts";

const HOST = "host";

/** Whether the sandbox of a disk was last opened with what the engine gives all, and not with a system of Berth's. */
export async function beganOnHost(disk: Disk): Promise<boolean> {
  return (await remembered(disk)) === HOST;
}

/** Whether the sandbox of a disk was last opened with this system. */
export async function isRemembered(disk: Disk, system: SystemLayers | undefined): Promise<boolean> {
  return (await remembered(disk)) === nameOf(system);
}

/** Keeps in mind, beside what the agent sees of the disk, which system its sandbox was opened with. */
export async function rememberSystem(disk: Disk, system: SystemLayers | undefined): Promise<void> {
  await writeFile(file(disk), nameOf(system));
}

function nameOf(system: SystemLayers | undefined): string {
  if (system === undefined) return HOST;
  return [system.tree, ...(system.layers ?? []).map(layerOf)].map((path) => basename(path)).join(" ");
}

/** A layer's changes lie two directories below the one with its name. */
function layerOf(path: string): string {
  return dirname(dirname(path));
}

async function remembered(disk: Disk): Promise<string | null> {
  return await readFile(file(disk), "utf8").catch(() => null);
}

function file(disk: Disk): string {
  return join(disk.path, "system");
}
