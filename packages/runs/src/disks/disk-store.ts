import { LeaseLost } from "@berth/agent";
import type { SandboxShape } from "@berth/sandbox";
import { isUniqueViolation, type Queryable } from "@berth/store/db";
import { HELD, type Lease, leaseValues } from "@berth/store/leases";

/**
 * The columns of a session's row that describe its disk.
 *
 * - `disk`: the disk's name; null when it is named after the session.
 * - `snapshots`: uuids of the repository snapshots that the disk shows.
 * - `restoring`: whether the disk is not whole yet, or was made from an unverified snapshot.
 * - `ephemeral`: whether the disk is removed once its sandbox is closed.
 */
export type DiskRow = {
  home: string | null;
  disk: string | null;
  workspace_uid: number | null;
  snapshots: string[];
  restoring: boolean;
  ephemeral: boolean;
};

/** Reads the disk of the lease's session. @throws LeaseLost */
export async function readDisk(db: Queryable, lease: Lease): Promise<DiskRow> {
  const { rows } = await db.query<DiskRow>({
    name: "read_disk",
    text: `
      select home, disk, workspace_uid, array(
        select snapshot_id from session_resources
        where session_id = sessions.id and ready_at is not null and snapshot_id is not null
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

/** A request for a disk of the pool that fits a session: the shape, and the key that the engine gives it. */
export interface WarmWish {
  key: string;
  shape: SandboxShape;
}

/** The disk that a session was assigned. `disk` is its name, or null when it is named after the session. */
export interface AssignedDisk {
  disk: string | null;
  workspace_uid: number;
}

/**
 * Records that the session has a new disk at this place, of the kind that its environment says, with the uid
 * that owns it. Uids are assigned in a cycle; uids of older disks are skipped.
 *
 * @param wish the disk of the pool to take, if there is one. Default: none.
 * @throws LeaseLost
 */
export async function assignDisk(
  db: Queryable,
  lease: Lease,
  home: string,
  wish: WarmWish | null = null,
): Promise<AssignedDisk> {
  const values = [...leaseValues(lease), home];
  const statement =
    wish === null
      ? { ...ENTER_NEW, values }
      : { ...ENTER_WARM, values: [...values, wish.key, JSON.stringify(wish.shape)] };
  for (;;) {
    try {
      const { rows } = await db.query<AssignedDisk>(statement);
      if (rows[0] === undefined) throw new LeaseLost();
      return rows[0];
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
}

/** SQL: assignments that describe an empty new disk. */
const SET_NEW =
  "disk_unverified = false, disk_ephemeral = (select workspace = 'ephemeral' from environments where id = environment_id)";

const ENTER_NEW = {
  name: "enter_disk",
  text: `
    update sessions set home = $4, workspace_uid = coalesce(workspace_uid, nextval('workspace_uids')::integer), disk = null,
      ${SET_NEW}
    where ${HELD}
    returning disk, workspace_uid`,
};

/** Like `ENTER_NEW`, but with a disk of the pool and its uid. */
const ENTER_WARM = {
  name: "enter_warm_disk",
  text: `
    with begun as (
      insert into warm_starts (place, shape) select $4, $6::jsonb from sessions where ${HELD}
    ), taken as (
      update warm_disks set state = 'taken', changed_at = now()
      where name = (
        select name from warm_disks
        where place = $4 and key = $5 and state = 'ready' and exists (select from sessions where ${HELD})
        order by changed_at limit 1 for update skip locked
      )
      returning name, uid
    )
    update sessions set home = $4, disk = (select name from taken),
      workspace_uid = coalesce((select uid from taken), workspace_uid, nextval('workspace_uids')::integer),
      ${SET_NEW}
    where ${HELD}
    returning disk, workspace_uid`,
};

/**
 * Records that the session has no disk at this place. For a live session a disk at another place is forgotten
 * too, and that host deletes it. A deleted session keeps the disk until its host deletes it.
 */
export async function clearDisk(db: Queryable, lease: Lease, home: string): Promise<void> {
  await db.query({
    name: "leave_disk",
    text: `
      with cleared as (
        update sessions set home = null, workspace_uid = null, disk = null
        where ${HELD} and (home = $4 or deleted_at is null)
        returning id
      )
      delete from disk_usage using cleared where session_id = cleared.id`,
    values: [...leaseValues(lease), home],
  });
}

/** Returns which of the sessions have their disk at this place, named after the session. */
export async function disksAmong(db: Queryable, ids: readonly string[], home: string): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: "disks_among",
    text: `select id from sessions where id = any($1::uuid[]) and home = $2 and disk is null`,
    values: [ids, home],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Returns which of the sessions are in this database. */
export async function knownSessions(db: Queryable, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: "known_sessions",
    text: "select id from sessions where id = any($1::uuid[])",
    values: [ids],
  });
  return rows.map(({ id }) => id);
}

/**
 * Returns the place of the session's disk that is named after it, and locks the session's row against
 * workers. Returns null when there is no such disk or no session.
 */
export async function lockHome(tx: Queryable, sessionId: string): Promise<string | null> {
  const { rows } = await tx.query<{ home: string | null }>({
    name: "lock_disk",
    text: `select case when disk is null then home end as home from sessions where id = $1 for no key update`,
    values: [sessionId],
  });
  return rows[0]?.home ?? null;
}
