import { randomBytes } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "@berth/linux";
import { sizeOf } from "./layer-limits.ts";

/** The end of the name of a running build, or of what is being removed. */
const UNFINISHED = /\.(making|[0-9a-f]{8}\.gone)$/;

export interface LayerSweep {
  /** Directory of the layers and running builds. */
  directory: string;
  /** Milliseconds after which an unused layer is deleted. */
  unusedMs: number;
  /** Bytes of all layers together above which the least recently used are deleted. */
  maxBytes: number;
  isBuilding(name: string): boolean;
  /** Returns whether an open sandbox uses it. */
  isUsed(name: string): boolean;
}

/** Deletes layers beyond the limits, and unfinished builds of dead processes. */
export async function sweepLayers(sweep: LayerSweep, signal?: AbortSignal): Promise<void> {
  const { directory, unusedMs, maxBytes, isBuilding, isUsed } = sweep;
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((one) => UNFINISHED.test(one))) {
    signal?.throwIfAborted();
    if (!isBuilding(name.replace(UNFINISHED, ""))) await removeLayer(join(directory, name));
  }
  const layers = await Promise.all(
    names
      .filter((name) => !UNFINISHED.test(name))
      .map(async (name) => ({ name, at: await usedAt(join(directory, name)) })),
  );
  let bytes = 0;
  for (const { name, at } of layers.toSorted((a, b) => b.at - a.at)) {
    signal?.throwIfAborted();
    bytes += (await sizeOf(join(directory, name))).bytes;
    if (isUsed(name) || isBuilding(name) || (Date.now() - at < unusedMs && bytes <= maxBytes)) continue;
    await removeLayer(join(directory, name));
  }
}

async function usedAt(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

/** Renames first, synchronously, so that a concurrent request for the layer builds it again. */
export async function removeLayer(path: string): Promise<void> {
  if (!existsSync(path) || path.endsWith(".gone")) return await removeTree(path);
  const gone = `${path}.${randomBytes(4).toString("hex")}.gone`;
  renameSync(path, gone);
  await removeTree(gone);
}
