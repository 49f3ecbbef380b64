import { readdir } from "node:fs/promises";
import { formatId, parseId } from "@berth/contract";
import { removeTree } from "@berth/linux";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { disksAmong, lockHome } from "./disk-store.ts";
import { type DiskDirectory, diskPath } from "./session-disk.ts";
import { moveAside } from "./trash.ts";

/**
 * Deletes directories that are no session's disk here any more: the session is gone, its disk was reclaimed, or it has another
 * on another machine. Directories of sessions that a worker of this process holds are left to the worker.
 */
export async function sweepDisks(
  db: DatabaseAccess,
  disks: DiskDirectory,
  { isHeld, signal }: { isHeld: (sessionId: string) => boolean; signal?: AbortSignal },
): Promise<void> {
  const found = (await readdir(disks.directory).catch(() => [])).flatMap(sessionOf);
  const inUse = await disksAmong(db.write, found, disks.home);
  for (const id of found) {
    if (signal?.aborted) return;
    if (inUse.has(id) || isHeld(id)) continue;
    const trash = await moveLeftover(db, disks, id);
    if (trash !== null) await removeTree(trash, signal);
  }
}

/** The uuid of the session whose disk has this name, if it is a name of a disk. */
function sessionOf(name: string): string[] {
  const id = parseId("session", name);
  return id !== null && formatId("session", id) === name ? [id] : [];
}

/**
 * Moves the directory aside unless the row says that it is the session's disk. While the row is locked, no worker enters a disk
 * for the session: one that did so before is seen, and one that does so later creates its directory anew.
 */
async function moveLeftover(db: DatabaseAccess, disks: DiskDirectory, id: string): Promise<string | null> {
  return await db.transaction(async (tx) => {
    const home = await lockHome(tx, id);
    return home === disks.home ? null : await moveAside(diskPath(disks, id));
  });
}
