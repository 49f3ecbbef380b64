import { execFile } from "node:child_process";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { removeTree } from "@berth/linux";
import type { SandboxEngine } from "../interface/sandbox.ts";
import { buildLayer, fullDisk, type LayerBuild, type LayerFailure, tryLayers } from "./build-layer.ts";
import { LimitWatch, lacksSpace } from "./layer-limits.ts";

const run = promisify(execFile);
/** Interval in milliseconds, short enough that a disk cannot use up the spared space within it. */
const SPACE_INTERVAL_MS = 100;

/** The file of a layer that has only a part of what its plan installs: its `LayerFailure`. */
const PARTIAL = "partial.json";

/** Returns what a layer lacks of its plan, and since when it does, in milliseconds since 1970; null for nothing. */
export async function partOf(path: string): Promise<{ failure: LayerFailure; since: number } | null> {
  const file = join(path, PARTIAL);
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return null;
  return { failure: JSON.parse(text) as LayerFailure, since: (await stat(file)).mtimeMs };
}

export interface LayerMake extends Omit<LayerBuild, "disk"> {
  /** Path of the finished layer. The directory exists only once the layer is complete. */
  path: string;
}

/** Returns the path of a layer's changes. */
export function changesOf(path: string): string {
  return join(path, "changes", "upper");
}

/**
 * Builds a layer under a temporary name, opens a sandbox over it, syncs it, and renames it. A layer that
 * fails is deleted; one that has a part of its plan is kept.
 *
 * @returns null on success.
 * @throws SandboxError when this machine cannot build it.
 */
export async function makeLayer(engine: SandboxEngine, make: LayerMake): Promise<LayerFailure | null> {
  const { path, limits, signal } = make;
  const making = `${path}.making`;
  try {
    await removeTree(making);
    await mkdir(making, { recursive: true, mode: 0o711 });
    const space = new LimitWatch(() => lacksSpace(making, limits), SPACE_INTERVAL_MS);
    const stopped = AbortSignal.any([signal, space.signal]);
    const failure = await buildAndTry(engine, { ...make, signal: stopped }, making)
      .catch((error): LayerFailure => {
        if (stopped.aborted) return { why: "it was cut off", output: "" };
        throw error;
      })
      .finally(() => space.stop());
    if (space.signal.aborted)
      return { why: "this machine's disk has too little space left", output: failure?.output ?? "" };
    if (failure === null || failure.missing !== undefined) await complete(making, path, failure);
    return failure;
  } finally {
    await removeTree(making);
  }
}

async function buildAndTry(
  engine: SandboxEngine,
  make: LayerMake,
  making: string,
): Promise<LayerFailure | null> {
  const { system, limits, signal } = make;
  const disk = join(making, "disk");
  const built = await buildLayer(engine, { ...make, disk });
  if (built !== null && built.missing === undefined) return built;
  signal.throwIfAborted();
  if (!(await engine.takeChanges(disk, changesOf(making), signal))) return fullDisk(limits);
  const layers = [...(system.layers ?? []), changesOf(making)];
  signal.throwIfAborted();
  const usable = { rootFilesystem: system.rootFilesystem, layers };
  return (await tryLayers(engine, usable, join(making, "trial"))) ?? built;
}

async function complete(making: string, path: string, partial: LayerFailure | null): Promise<void> {
  await Promise.all(["disk", "trial"].map((name) => removeTree(join(making, name))));
  if (partial !== null) await writeFile(join(making, PARTIAL), JSON.stringify(partial));
  await run("sync", ["-f", making]);
  await rename(making, path);
}
