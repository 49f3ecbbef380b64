import { execFile } from "node:child_process";
import { lstat, mkdir, readdir, rename, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { pathsOverlap } from "@berth/contract";
import { removeTree } from "@berth/linux";
import { type MountedSnapshot, PACKAGE_CACHES, type SnapshotLayers } from "@berth/sandbox";
import { cachesDirectory, type SnapshotDirectory } from "./snapshot-directory.ts";

const run = promisify(execFile);

/** The most layers of one cache. The setup after that begins with an empty one, which also drops what is unused. */
const MAX_LAYERS = 6;
/**
 * The most layers below one mount: the kernel takes 256 characters, and the helper names each layer in up to
 * 18.
 */
const MAX_BELOW = 2 * MAX_LAYERS;

/** A cache of a snapshot. */
export interface StoredCache {
  /** Its name in `PACKAGE_CACHES`. */
  name: string;
  /** Its path in a sandbox. */
  target: string;
  /** Its layers on the host, from the lowest to the highest; never none. */
  layers: [string, ...string[]];
}

/** A snapshot that may have caches. */
export interface CachingSnapshot {
  id: string;
  uid: number;
}

/** Returns the caches of a snapshot that are at none of these paths, around or below them. */
export async function storedCaches(
  directory: SnapshotDirectory,
  id: string,
  taken: readonly string[],
): Promise<StoredCache[]> {
  const path = cachesDirectory(directory, id);
  const names = new Set(await entriesOf(path));
  const stored: StoredCache[] = [];
  for (const [name, target] of freeCaches(taken)) {
    const numbers = names.has(name) ? await entriesOf(join(path, name)) : [];
    const [lowest, ...over] = numbers
      .toSorted((one, other) => Number(one) - Number(other))
      .map((number) => join(path, name, number));
    if (lowest !== undefined) stored.push({ name, target, layers: [lowest, ...over] });
  }
  return stored;
}

/** Returns names and paths of the caches that are at none of these paths, around or below them. */
export function freeCaches(taken: readonly string[]): [name: string, target: string][] {
  return Object.entries(PACKAGE_CACHES).filter(
    ([, target]) => !taken.some((path) => pathsOverlap(path, target)),
  );
}

/**
 * Returns the caches of several snapshots as sandboxes mount them: one mount for each directory, in which the
 * files of earlier snapshots hide those of later ones.
 */
export async function mountedCaches(
  directory: SnapshotDirectory,
  snapshots: readonly CachingSnapshot[],
  taken: readonly string[],
): Promise<MountedSnapshot[]> {
  const below = new Map<string, SnapshotLayers[]>();
  for (const { id, uid } of snapshots)
    for (const { target, layers } of await storedCaches(directory, id, taken)) {
      const [source, ...over] = layers;
      const all = [...(below.get(target) ?? []), { source, layers: over, name: id, uid }];
      if (all.reduce((sum, one) => sum + 1 + (one.layers?.length ?? 0), 0) <= MAX_BELOW)
        below.set(target, all);
    }
  return [...below].flatMap(([target, [highest, ...others]]) =>
    highest === undefined ? [] : [{ ...highest, target, below: others }],
  );
}

/**
 * Gives a new snapshot the caches of a former one, which may be deleted afterwards: their files never change,
 * so both have links to them. A cache with too many layers is left out.
 *
 * @returns the caches of the new one. There are none when those of the former are gone.
 */
export async function inheritCaches(
  directory: SnapshotDirectory,
  { id, former, taken }: { id: string; former: string; taken: readonly string[] },
): Promise<StoredCache[]> {
  const to = cachesDirectory(directory, id);
  try {
    for (const { name, layers } of await storedCaches(directory, former, taken)) {
      if (layers.length >= MAX_LAYERS) continue;
      await mkdir(join(to, name), { recursive: true, mode: 0o711 });
      for (const [index, layer] of layers.entries()) await copyLinks(layer, join(to, name, String(index)));
    }
    return await storedCaches(directory, id, taken);
  } catch {
    await dropCaches(directory, id);
    return [];
  }
}

/** As in `copy-layer.sh`: cp must fail when it cannot copy the attributes of overlays. */
async function copyLinks(from: string, to: string): Promise<void> {
  const preserve = "--preserve=mode,ownership,timestamps,links,xattr";
  await run("cp", ["-dR", "--link", "-T", preserve, "--", from, to]);
}

/** Removes the caches of a snapshot that is not stored yet. */
export async function dropCaches(directory: SnapshotDirectory, id: string): Promise<void> {
  await removeTree(cachesDirectory(directory, id));
}

/**
 * Stores what was gathered (`gatherCaches`) as caches of one layer. What is no directory is removed, since
 * processes of a sandbox put it there.
 *
 * @param gathered Host path, in a directory that no sandbox shows.
 */
export async function storeGathered(
  directory: SnapshotDirectory,
  id: string,
  gathered: string,
): Promise<void> {
  if (await isDirectory(gathered))
    for (const name of Object.keys(PACKAGE_CACHES)) {
      const from = join(gathered, name);
      if (!(await isDirectory(from))) continue;
      const to = join(cachesDirectory(directory, id), name, "0");
      await mkdir(dirname(to), { recursive: true, mode: 0o711 });
      await rename(from, to);
    }
  await removeTree(gathered);
}

/** Returns the path of the next layer of a cache. */
export function nextLayer(directory: SnapshotDirectory, id: string, { name, layers }: StoredCache): string {
  return join(cachesDirectory(directory, id), name, String(layers.length));
}

/** Removes a layer without files. */
export async function removeEmptyLayer(path: string): Promise<void> {
  if ((await entriesOf(path)).length === 0) await rmdir(path);
}

async function isDirectory(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function entriesOf(path: string): Promise<string[]> {
  return await readdir(path).catch(() => []);
}
