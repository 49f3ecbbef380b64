import { randomBytes } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "@berth/linux";
import { sizeOf } from "./layer-limits.ts";

export interface LayerKeep {
  /** Of the layers and of what is being made of them. */
  directory: string;
  /** Unused for so long, a layer goes. */
  unusedMs: number;
  /** Bytes that all may take before the longest unused go. */
  maxBytes: number;
  isMaking(name: string): boolean;
  /** Whether an open sandbox needs it. */
  isUsed(name: string): boolean;
}

/** Removes what is not needed any more, and what a process that died has left. */
export async function sweepLayers(keep: LayerKeep, signal?: AbortSignal): Promise<void> {
  const { directory, unusedMs, maxBytes, isMaking, isUsed } = keep;
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((one) => one.includes("."))) {
    signal?.throwIfAborted();
    if (!isMaking(name.replace(/\..*$/, ""))) await takeAway(join(directory, name));
  }
  const layers = await Promise.all(
    names
      .filter((name) => !name.includes("."))
      .map(async (name) => ({ name, at: await usedAt(join(directory, name)) })),
  );
  let bytes = 0;
  for (const { name, at } of layers.toSorted((a, b) => b.at - a.at)) {
    signal?.throwIfAborted();
    bytes += (await sizeOf(join(directory, name))).bytes;
    if (isUsed(name) || isMaking(name) || (Date.now() - at < unusedMs && bytes <= maxBytes)) continue;
    await takeAway(join(directory, name));
  }
}

async function usedAt(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

/** Its name is free before anything else happens in this process, so that who asks for the layer now has it made anew. */
async function takeAway(path: string): Promise<void> {
  if (!existsSync(path) || path.endsWith(".gone")) return await removeTree(path);
  const gone = `${path}.${randomBytes(4).toString("hex")}.gone`;
  renameSync(path, gone);
  await removeTree(gone);
}
