import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { removeTrash } from "@berth/linux";
import type { Queryable } from "@berth/store/db";
import { deleteMirror } from "./mirror-store.ts";
import { directoryOf, diskOf, removeDisk, type SnapshotDirectory } from "./snapshot-directory.ts";
import { deleteSnapshot, readStored, type Stored } from "./snapshot-store.ts";

export interface SweepDeps {
  db: { write: Queryable };
  directory: SnapshotDirectory;
  /** The most bytes of all mirrors and snapshots together. */
  maxBytes: number;
  /** Days without use after which one is deleted. */
  maxIdleDays: number;
  isBuilding(id: string): boolean;
  /** Called when one was deleted. Default: nothing. */
  onEvicted?(stored: Stored, reason: EvictionReason): void;
}

/**
 * `expired`: unused for too long, or replaced by a newer one. `space`: the least recently used when the limit
 * is exceeded. `missing`: its files are gone.
 */
export type EvictionReason = "expired" | "space" | "missing";

/**
 * Deletes what dead processes left unfinished and what has no row, deletes rows without a directory, and
 * evicts. Keeps what a session's disk shows, and what is being built.
 */
export async function sweepSnapshots(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const { directory } = deps;
  for (const kind of ["snapshots", "mirrors"] as const) {
    await removeTrash(directoryOf(directory, kind), signal);
    // Names are read before the rows, so that an entry which is finished in between has its row.
    const names = await readdir(directoryOf(directory, kind)).catch(() => []);
    const known = new Set((await listStored(deps)).map(({ id }) => id));
    for (const id of names.filter((name) => UUID.test(name))) {
      if (signal.aborted) return;
      if (!known.has(id) && !deps.isBuilding(id)) await removeDisk(directory, kind, id);
    }
  }
  for (const stored of await listStored(deps))
    if (!existsSync(diskOf(directory, stored.kind, stored.id))) await remove(deps, stored, "missing");
  await evictSnapshots(deps);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Deletes what has expired, then the least recently used beyond the limit. Returns the bytes left. */
export async function evictSnapshots(deps: SweepDeps): Promise<number> {
  // A mirror is free once the last of its snapshots is deleted, so snapshots come first.
  for (const kind of ["snapshots", "mirrors"] as const)
    for (const stored of await listStored(deps))
      if (stored.kind === kind && stored.expired) await remove(deps, stored, "expired");
  let all = await listStored(deps);
  for (;;) {
    const sum = all.reduce((bytes, stored) => bytes + stored.bytes, 0);
    const first = all.find(({ free, id }) => free && !deps.isBuilding(id));
    if (sum <= deps.maxBytes || first === undefined) return sum;
    await remove(deps, first, "space");
    const rest = await listStored(deps);
    all = rest.some(({ id }) => id === first.id) ? all.filter(({ id }) => id !== first.id) : rest;
  }
}

async function remove(deps: SweepDeps, stored: Stored, reason: EvictionReason): Promise<void> {
  const { db, directory, isBuilding, onEvicted } = deps;
  const { kind, id, free } = stored;
  if (!free || isBuilding(id)) return;
  const isGone = await (kind === "snapshots" ? deleteSnapshot(db.write, id) : deleteMirror(db.write, id));
  if (!isGone) return;
  await removeDisk(directory, kind, id);
  onEvicted?.(stored, reason);
}

function listStored({ db, directory, maxIdleDays }: SweepDeps): Promise<Stored[]> {
  return readStored(db.write, directory.host, maxIdleDays);
}
