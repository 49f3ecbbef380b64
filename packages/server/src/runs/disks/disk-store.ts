import { LeaseLost } from "@berth/agent";
import { isUniqueViolation } from "../../db/database-error.ts";
import type { Queryable } from "../../db/statement.ts";
import { HELD, type Lease, leaseValues } from "../lease/lease.ts";

/** What a session's row says of its disk. `snapshots`: uuids of those that it shows. `restoring`: it is not whole yet, or made of a snapshot that is not verified. `ephemeral`: it is removed once its sandbox is closed. */
export type DiskRow = {
  home: string | null;
  workspace_uid: number | null;
  snapshots: string[];
  restoring: boolean;
  ephemeral: boolean;
};

/** @throws LeaseLost */
export async function readDisk(db: Queryable, lease: Lease): Promise<DiskRow> {
  const { rows } = await db.query<DiskRow>({
    name: "read_disk",
    text: `
      select home, workspace_uid, array(
        select template_id from session_resources
        where session_id = sessions.id and ready_at is not null and template_id is not null
      ) as snapshots, exists (
        select from workspace_saves where session_id = sessions.id and restoring
      ) or disk_unverified as restoring, disk_ephemeral and exists (
        select from environments where id = environment_id and workspace = 'ephemeral'
      ) as ephemeral
      from sessions
      where ${HELD}`,
    values: leaseValues(lease),
  });
  if (rows[0] === undefined) throw new LeaseLost();
  return rows[0];
}

/**
 * Records that the session has a new disk at this place, of the kind that its environment says, and returns the uid that owns it. Uids are assigned in a cycle; one that an
 * older disk still has is skipped.
 *
 * @throws LeaseLost
 */
export async function assignDisk(db: Queryable, lease: Lease, home: string): Promise<number> {
  for (;;) {
    try {
      const { rows } = await db.query<{ workspace_uid: number }>({
        name: "enter_disk",
        text: `
          update sessions set home = $4, workspace_uid = coalesce(workspace_uid, nextval('workspace_uids')::integer),
            disk_unverified = false, disk_ephemeral = (select workspace = 'ephemeral' from environments where id = environment_id)
          where ${HELD}
          returning workspace_uid`,
        values: [...leaseValues(lease), home],
      });
      if (rows[0] === undefined) throw new LeaseLost();
      return rows[0].workspace_uid;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
}

/**
 * Records that the session has no disk at this place any more. A live session needs none that another place may still have: its
 * host removes that. A deleted one waits for the host.
 */
export async function clearDisk(db: Queryable, lease: Lease, home: string): Promise<void> {
  await db.query({
    name: "leave_disk",
    text: `
      with cleared as (
        update sessions set home = null, workspace_uid = null
        where ${HELD} and (home = $4 or deleted_at is null)
        returning id
      )
      delete from disk_usage using cleared where session_id = cleared.id`,
    values: [...leaseValues(lease), home],
  });
}

/** Those of the sessions whose disk is at this place. */
export async function disksAmong(db: Queryable, ids: readonly string[], home: string): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: "disks_among",
    text: "select id from sessions where id = any($1::uuid[]) and home = $2",
    values: [ids, home],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Those of the sessions that this database has. */
export async function knownSessions(db: Queryable, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: "known_sessions",
    text: "select id from sessions where id = any($1::uuid[])",
    values: [ids],
  });
  return rows.map(({ id }) => id);
}

/** Where the session's disk is, with the session's row locked against workers; null without a disk or a session. */
export async function lockHome(tx: Queryable, sessionId: string): Promise<string | null> {
  const { rows } = await tx.query<{ home: string | null }>({
    name: "lock_disk",
    text: "select home from sessions where id = $1 for no key update",
    values: [sessionId],
  });
  return rows[0]?.home ?? null;
}
