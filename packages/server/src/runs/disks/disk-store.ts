import { LeaseLost } from "@berth/agent";
import { isUniqueViolation } from "../../db/database-error.ts";
import type { Queryable } from "../../db/statement.ts";
import { HELD, type Lease, leaseValues } from "../lease/lease.ts";

/** What a session's row says of its disk. `snapshots`: uuids of those that it shows. */
export type DiskRow = { disk_host: string | null; workspace_uid: number | null; snapshots: string[] };

/** @throws LeaseLost */
export async function readDisk(db: Queryable, lease: Lease): Promise<DiskRow> {
  const { rows } = await db.query<DiskRow>({
    name: "read_disk",
    text: `
      select disk_host, workspace_uid, array(
        select template_id from session_resources
        where session_id = sessions.id and ready_at is not null and template_id is not null
      ) as snapshots
      from sessions
      where ${HELD}`,
    values: leaseValues(lease),
  });
  if (rows[0] === undefined) throw new LeaseLost();
  return rows[0];
}

/**
 * Records that the session's disk is on this host, and returns the uid that owns it. Uids are assigned in a cycle; one that an
 * older disk still has is skipped.
 *
 * @throws LeaseLost
 */
export async function assignDisk(db: Queryable, lease: Lease, host: string): Promise<number> {
  for (;;) {
    try {
      const { rows } = await db.query<{ workspace_uid: number }>({
        name: "enter_disk",
        text: `
          update sessions set disk_host = $4, workspace_uid = coalesce(workspace_uid, nextval('workspace_uids')::integer)
          where ${HELD}
          returning workspace_uid`,
        values: [...leaseValues(lease), host],
      });
      if (rows[0] === undefined) throw new LeaseLost();
      return rows[0].workspace_uid;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
}

/** Records that the session has no disk on this host any more. */
export async function clearDisk(db: Queryable, lease: Lease, host: string): Promise<void> {
  await db.query({
    name: "leave_disk",
    text: `
      update sessions set disk_host = null, workspace_uid = null
      where ${HELD} and disk_host = $4`,
    values: [...leaseValues(lease), host],
  });
}

/** Those of the sessions whose disk is on this host. */
export async function disksAmong(db: Queryable, ids: readonly string[], host: string): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: "disks_among",
    text: "select id from sessions where id = any($1::uuid[]) and disk_host = $2",
    values: [ids, host],
  });
  return new Set(rows.map(({ id }) => id));
}

/** The host of the session's disk, with the session's row locked against workers; null without a disk or a session. */
export async function lockDiskHost(tx: Queryable, sessionId: string): Promise<string | null> {
  const { rows } = await tx.query<{ disk_host: string | null }>({
    name: "lock_disk",
    text: "select disk_host from sessions where id = $1 for no key update",
    values: [sessionId],
  });
  return rows[0]?.disk_host ?? null;
}
