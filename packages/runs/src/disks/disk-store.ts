import { LeaseLost } from "@berth/agent";
import type { SandboxShape } from "@berth/sandbox";
import { isUniqueViolation, type Queryable } from "@berth/store/db";
import { HELD, type Lease, leaseValues } from "@berth/store/leases";
import { OWN_DISK } from "../inputs/own-disk-statements.ts";

/** Runners that know names of disks say this among their settings. */
const WARM_PODS = "BERTH_KUBERNETES_WARM_PODS";

/**
 * What a session's row says of its disk. `disk`: its name; null: that of the session. `snapshots`: uuids of those that it shows. `restoring`: it
 * is not whole yet, or made of a snapshot that is not verified. `ephemeral`: it is removed once its sandbox is closed.
 */
export type DiskRow = {
  home: string | null;
  disk: string | null;
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
      select home, ${OWN_DISK} as disk, workspace_uid, array(
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

/** A disk of the pool that fits a session: the key of its shape, as the engine says, and the shape. */
export interface WarmWish {
  key: string;
  shape: SandboxShape;
}

/** `disk`: its name; null: that of the session. */
export interface AssignedDisk {
  disk: string | null;
  workspace_uid: number;
}

/**
 * Records that the session has a new disk at this place, of the kind that its environment says, with the uid that owns it. Uids are assigned in a
 * cycle; one that an older disk still has is skipped.
 *
 * @param wish what of the pool it takes, if that is there. Default: nothing.
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
      : { ...ENTER_WARM, values: [...values, wish.key, JSON.stringify(wish.shape), WARM_PODS] };
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

/** SQL: what a session's row says of a new disk before anything is on it. */
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

/**
 * The same with a disk of the pool and its uid. None is taken while a runner of the place is there that knows no names of disks: it
 * would give the session another one.
 */
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
          and not exists (
            select from hosts where place = $4 and seen_at > now() - interval '1 minute' and not settings ? $7
          )
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

/** Those of the sessions whose disk is at this place, and named after them. */
export async function disksAmong(db: Queryable, ids: readonly string[], home: string): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: "disks_among",
    text: `select id from sessions where id = any($1::uuid[]) and home = $2 and ${OWN_DISK} is null`,
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

/** Where the session's disk is that is named after it, with the session's row locked against workers; null without such a disk or a session. */
export async function lockHome(tx: Queryable, sessionId: string): Promise<string | null> {
  const { rows } = await tx.query<{ home: string | null }>({
    name: "lock_disk",
    text: `select case when ${OWN_DISK} is null then home end as home from sessions where id = $1 for no key update`,
    values: [sessionId],
  });
  return rows[0]?.home ?? null;
}
