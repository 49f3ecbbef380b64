import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { LeaseLost } from "@berth/agent";
import { formatId } from "@berth/contract";
import { removeTree } from "@berth/linux";
import { isUniqueViolation } from "../../db/database-error.ts";
import type { Queryable } from "../../db/statement.ts";
import { markAllAbsent } from "../inputs/resource-store.ts";
import type { Lease } from "../lease/lease.ts";

const TRASH = ".deleted";

/** A session's disk on this machine. The engine makes the directory. */
export interface Disk {
  path: string;
  uid: number;
}

/** Where the disks of an installation lie. */
export interface DiskRoom {
  directory: string;
  /** Names the machine's installation: a disk that was made under another name is not here. */
  host: string;
  /** Whether a template that a disk shows is there: without it, the disk is not whole. Default: all are. */
  hasTemplate?(id: string): boolean;
}

/**
 * The disk of the session, for whoever holds its lease. Where it is not on this machine, or not whole, it is a
 * new one, and the resources that were in place are not any more.
 *
 * @param tellLost appends that the disk which the session had is lost; see `appendReclaimed`.
 */
export async function claimDisk(
  db: Queryable,
  lease: Lease,
  room: DiskRoom,
  tellLost: () => Promise<void>,
): Promise<Disk> {
  const path = diskPath(room, lease.sessionId);
  const known = await readDisk(db, lease);
  if (known.workspace_uid !== null && isHere(known, lease, room)) {
    return { path, uid: known.workspace_uid };
  }
  if (known.disk_host !== null) await tellLost();
  await discard(path);
  await markAllAbsent(db, lease);
  return { path, uid: await enterDisk(db, lease, room.host) };
}

/** Whether the session's disk is here, so that nothing needs to be put in place anew. */
export async function hasDisk(db: Queryable, lease: Lease, room: DiskRoom): Promise<boolean> {
  const known = await readDisk(db, lease);
  return isHere(known, lease, room);
}

function isHere({ disk_host: host, templates }: Known, { sessionId }: Lease, room: DiskRoom): boolean {
  const isWhole = templates.every((id) => room.hasTemplate?.(id) ?? true);
  return host === room.host && existsSync(diskPath(room, sessionId)) && isWhole;
}

/** Deletes the disk. No sandbox may be open on it: what lies there is hostile, but nobody changes it meanwhile. */
export async function removeDisk(db: Queryable, lease: Lease, room: DiskRoom): Promise<void> {
  await discard(diskPath(room, lease.sessionId));
  await markAllAbsent(db, lease);
  await db.query({
    name: "leave_disk",
    text: `
      update sessions set disk_host = null, workspace_uid = null
      where id = $1 and lease_owner = $2 and lease_epoch = $3 and disk_host = $4`,
    values: [lease.sessionId, lease.owner, lease.epoch, room.host],
  });
}

/**
 * Gives up a disk that lies here: the row first, so that only who holds the lease removes anything, then what lies on the
 * disk, also what a process that died between the two has left. A disk elsewhere is left alone. No sandbox may be open on it.
 *
 * @param tellReclaimed appends that the session has no disk any more; see `appendReclaimed`.
 */
export async function reclaimDisk(
  db: Queryable,
  lease: Lease,
  room: DiskRoom,
  tellReclaimed: () => Promise<void>,
): Promise<void> {
  const { disk_host: host } = await readDisk(db, lease);
  if (host !== null && host !== room.host) return;
  if (host !== null) await tellReclaimed();
  await discard(diskPath(room, lease.sessionId));
}

/** `templates`: uuids of those that it shows. */
type Known = { disk_host: string | null; workspace_uid: number | null; templates: string[] };

async function readDisk(db: Queryable, lease: Lease): Promise<Known> {
  const { rows } = await db.query<Known>({
    name: "read_disk",
    text: `
      select disk_host, workspace_uid, array(
        select template_id from session_resources
        where session_id = sessions.id and ready_at is not null and template_id is not null
      ) as templates
      from sessions
      where id = $1 and lease_owner = $2 and lease_epoch = $3`,
    values: [lease.sessionId, lease.owner, lease.epoch],
  });
  if (rows[0] === undefined) throw new LeaseLost();
  return rows[0];
}

/** Uids are given out in a circle; one that an old disk still has is passed over. */
async function enterDisk(db: Queryable, lease: Lease, host: string): Promise<number> {
  for (;;) {
    try {
      const { rows } = await db.query<{ workspace_uid: number }>({
        name: "enter_disk",
        text: `
          update sessions set disk_host = $4, workspace_uid = coalesce(workspace_uid, nextval('workspace_uids')::integer)
          where id = $1 and lease_owner = $2 and lease_epoch = $3
          returning workspace_uid`,
        values: [lease.sessionId, lease.owner, lease.epoch, host],
      });
      if (rows[0] === undefined) throw new LeaseLost();
      return rows[0].workspace_uid;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
}

export function diskPath(room: DiskRoom, sessionId: string): string {
  return join(room.directory, formatId("session", sessionId));
}

/** Deletes what a process that died in the middle of deleting has left. */
export async function removeTrash(room: DiskRoom, signal?: AbortSignal): Promise<void> {
  const names = await readdir(room.directory).catch(() => []);
  for (const name of names.filter((entry) => entry.endsWith(TRASH)))
    await removeTree(join(room.directory, name), signal);
}

/** Deletes what lies there, so that nobody ever sees half of it. */
export async function discard(path: string): Promise<void> {
  const trash = await moveAside(path);
  if (trash !== null) await removeTree(trash);
}

/** To where it can be deleted, so that a directory that is only half deleted is never taken for a disk. Null when it is not there. */
export async function moveAside(path: string): Promise<string | null> {
  const trash = `${path}.${randomBytes(4).toString("hex")}${TRASH}`;
  try {
    await rename(path, trash);
    return trash;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return null;
  }
}
