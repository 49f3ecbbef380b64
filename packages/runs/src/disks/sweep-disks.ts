import { basename } from "node:path";
import { formatId, parseId } from "@berth/contract";
import type { DatabaseAccess } from "@berth/store/db";
import { disksAmong, knownSessions, lockHome } from "./disk-store.ts";
import { type DiskDirectory, diskName, disksOf } from "./session-disk.ts";

/**
 * Deletes disks that belong to no session: the session was deleted, its disk was reclaimed, or it has a disk
 * at another place. Disks of sessions that a worker of this process holds are left to the worker. The
 * engine's own disks may be shared with other installations, so disks of unknown sessions are left alone.
 */
export async function sweepDisks(
  db: DatabaseAccess,
  disks: DiskDirectory,
  { isHeld, signal }: { isHeld: (sessionId: string) => boolean; signal?: AbortSignal },
): Promise<void> {
  const listed = (await disksOf(disks).list()).flatMap(sessionOf);
  const found = disks.disks === undefined ? listed : await knownSessions(db.write, listed);
  const inUse = await disksAmong(db.write, found, disks.home);
  for (const id of found) {
    if (signal?.aborted) return;
    if (inUse.has(id) || isHeld(id)) continue;
    await (await takeLeftover(db, disks, id))?.(signal);
  }
}

/** Returns the uuid of the session whose disk has this name, or nothing if it is no name of a disk. */
function sessionOf(disk: string): string[] {
  const name = basename(disk);
  const id = parseId("session", name);
  return id !== null && formatId("session", id) === name ? [id] : [];
}

/**
 * Takes the disk away unless the row says that it is the session's. While the row is locked, no worker
 * assigns a disk to the session: an earlier assignment is seen, and a later one makes a new disk.
 */
async function takeLeftover(db: DatabaseAccess, disks: DiskDirectory, id: string) {
  return await db.transaction(async (tx) => {
    const home = await lockHome(tx, id);
    return home === disks.home ? null : await disksOf(disks).takeAway(diskName(disks, id));
  });
}
