import { execFile } from "node:child_process";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { removeTree } from "@berth/linux";
import type { SandboxEngine } from "../interface/sandbox.ts";
import { buildLayer, fullDisk, type LayerBuild, type LayerFailure } from "./build-layer.ts";
import { lacksSpace } from "./layer-limits.ts";
import { tryLayers } from "./try-layers.ts";
import { watch } from "./watch.ts";

const run = promisify(execFile);
/** Less than a second's writing. */
const LOOK_AT_SPACE_MS = 100;

export interface LayerMake extends Omit<LayerBuild, "disk"> {
  /** Where it is to be: a directory that is there only when all of it is. */
  path: string;
}

/** Where the changes of a layer lie that was made at a path. */
export function changesOf(path: string): string {
  return join(path, "changes", "upper");
}

/**
 * Makes a layer under another name, tries it, and gives it its own when all of it is on the disk. Of one that fails nothing is left.
 *
 * @returns null when it is there.
 * @throws SandboxError where this machine cannot.
 */
export async function makeLayer(engine: SandboxEngine, make: LayerMake): Promise<LayerFailure | null> {
  const { path, limits, signal } = make;
  const own = `${path}.making`;
  try {
    await removeTree(own);
    await mkdir(own, { recursive: true, mode: 0o711 });
    const space = watch(() => lacksSpace(own, limits), LOOK_AT_SPACE_MS);
    const stopped = AbortSignal.any([signal, space.signal]);
    const failure = await inPlace(engine, { ...make, signal: stopped }, own)
      .catch((error) => {
        if (stopped.aborted) return { why: "it was cut off", output: "" };
        throw error;
      })
      .finally(space.end);
    if (space.signal.aborted)
      return { why: "this machine's disk has too little space left", output: failure?.output ?? "" };
    if (failure === null) await keep(own, path);
    return failure;
  } finally {
    await removeTree(own);
  }
}

async function inPlace(engine: SandboxEngine, make: LayerMake, own: string): Promise<LayerFailure | null> {
  const { system, limits, signal } = make;
  const disk = join(own, "disk");
  const failure = await buildLayer(engine, { ...make, disk });
  if (failure !== null) return failure;
  signal.throwIfAborted();
  if (!(await engine.takeChanges(disk, changesOf(own), signal))) return fullDisk(limits);
  const layers = [...(system.layers ?? []), changesOf(own)];
  signal.throwIfAborted();
  return await tryLayers(engine, { tree: system.tree, layers }, join(own, "trial"));
}

async function keep(own: string, path: string): Promise<void> {
  await Promise.all(["disk", "trial"].map((name) => removeTree(join(own, name))));
  await run("sync", ["-f", own]);
  await rename(own, path);
}
