import { basename } from "node:path";
import { formatId, parseId } from "@berth/contract";
import type { DatabaseAccess } from "@berth/store/db";
import { disksAmong, knownSessions, lockHome } from "./disk-store.ts";
import { type DiskDirectory, diskName, disksOf } from "./session-disk.ts";

/**
 * Deletes disks that are no session's any more: the session is gone, its disk was reclaimed, or it has another
 * at another place. Disks of sessions that a worker of this process holds are left to the worker. Among the engine's own disks,
 * which others may use too, those of sessions that this database does not know are left alone.
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

/** The uuid of the session whose disk has this name, if it is a name of a disk. */
function sessionOf(disk: string): string[] {
  const name = basename(disk);
  const id = parseId("session", name);
  return id !== null && formatId("session", id) === name ? [id] : [];
}

/**
 * Takes the disk away unless the row says that it is the session's. While the row is locked, no worker enters a disk
 * for the session: one that did so before is seen, and one that does so later makes its disk anew.
 */
async function takeLeftover(db: DatabaseAccess, disks: DiskDirectory, id: string) {
  return await db.transaction(async (tx) => {
    const home = await lockHome(tx, id);
    return home === disks.home ? null : await disksOf(disks).takeAway(diskName(disks, id));
  });
}
