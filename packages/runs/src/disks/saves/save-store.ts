import { LeaseLost } from "@berth/agent";
import type { Queryable } from "@berth/store/db";
import { HELD, type Lease, leaseValues, SAVED_AT } from "@berth/store/leases";

/** The archive of a repository snapshot on a disk. */
export interface SavedBase {
  /** uuid of the repository's resource. */
  resource: string;
  /** uuid of the snapshot. */
  snapshot: string;
  /** The mount path on the disk. */
  target: string;
  sha256: string;
  size: number;
}

/** The saved content of a session's disk. */
export interface Save {
  /** SHA-256 of the archive with the differences from the bases. */
  sha256: string;
  /** Bytes of all archives together. */
  size: number;
  /** ISO 8601. */
  savedAt: string;
  /** uuids of the resources that were in place. */
  inPlace: string[];
  bases: SavedBase[];
}

/** A save that is being made: the `seq` of the last event before it, and the resources in place. */
export type BegunSave = Pick<Save, "inPlace"> & { seq: number };

const SAVE = `workspace_saves.sha256, size_bytes as size, ${SAVED_AT} as "savedAt", in_place as "inPlace", bases`;

/** Begins a save. @throws LeaseLost, also when the session is deleted or has ended. */
export async function beginSave(db: Queryable, lease: Lease): Promise<BegunSave> {
  const { rows } = await db.query<BegunSave>({
    name: "begin_save",
    text: `
      select last_seq as seq, array(
        select id from session_resources
        where session_id = sessions.id and ready_at is not null and type <> 'memory_store'
      ) as "inPlace"
      from sessions where ${HELD} and ${IS_KEPT}`,
    values: leaseValues(lease),
  });
  if (rows[0] === undefined) throw new LeaseLost();
  return rows[0];
}

const IS_KEPT = "deleted_at is null and archived_at is null and terminated_at is null";

/** Returns the session's save, or null when it has none. */
export async function readSave(db: Queryable, sessionId: string): Promise<Save | null> {
  const text = `select ${SAVE} from workspace_saves where session_id = $1`;
  const { rows } = await db.query<Save>({ name: "read_save", text, values: [sessionId] });
  return rows[0] ?? null;
}

/**
 * Stores a save in place of the former one. Its contents must be locked and in the blob store.
 *
 * @returns contents of the former save that this one does not have.
 * @throws LeaseLost, also when the session is deleted or has ended.
 */
export async function storeSave(
  tx: Queryable,
  lease: Lease,
  { sha256, size, seq, inPlace, bases }: Omit<Save, "savedAt"> & BegunSave,
): Promise<string[]> {
  const contents = [sha256, ...bases.map((base) => base.sha256)];
  const { rows } = await tx.query<{ unused: string[] }>({
    name: "store_save",
    text: `
      with held as (
        select id from sessions where ${HELD} and ${IS_KEPT} for no key update
      ), former as (
        select contents from workspace_saves where session_id = $1
      ), saved as (
        insert into workspace_saves (session_id, sha256, size_bytes, saved_at, seq, in_place, bases, contents)
        select id, $4::text, $5::bigint, now(), $6::bigint, $7::uuid[], $8::jsonb, $9::text[] from held
        on conflict (session_id) do update set sha256 = excluded.sha256, size_bytes = excluded.size_bytes,
          saved_at = excluded.saved_at, seq = excluded.seq, in_place = excluded.in_place, bases = excluded.bases,
          contents = excluded.contents, restoring = false
      )
      select array(select unnest(contents) from former except select unnest($9::text[])) as unused from held`,
    values: [...leaseValues(lease), sha256, size, seq, inPlace, JSON.stringify(bases), contents],
  });
  if (rows[0] === undefined) throw new LeaseLost();
  return rows[0].unused;
}

/**
 * Begins to restore the session's save, and returns it, or null when there is none. Until `finishRestore` the
 * disk counts as not whole.
 */
export async function beginRestore(db: Queryable, lease: Lease): Promise<Save | null> {
  const { rows } = await db.query<Save>({
    name: "begin_restore",
    text: `
      update workspace_saves set restoring = true
      from sessions where session_id = $1 and ${HELD}
      returning ${SAVE}`,
    values: leaseValues(lease),
  });
  return rows[0] ?? null;
}

/** Marks the disk as restored, with the resources of the save in place. @throws LeaseLost */
export async function finishRestore(db: Queryable, lease: Lease): Promise<void> {
  const { rows } = await db.query({
    name: "finish_restore",
    text: `
      with restored as (
        update workspace_saves set restoring = false
        from sessions where session_id = $1 and ${HELD}
        returning in_place
      ), placed as (
        update session_resources set ready_at = now(), failed_at = null, failure = null, failed_inputs = null, attempts = 0, failing_since = null, retry_at = null
        from restored where session_id = $1 and id = any(in_place)
      )
      select from restored`,
    values: leaseValues(lease),
  });
  if (rows.length === 0) throw new LeaseLost();
}

/** Deletes the session's save. */
export async function forgetSave(db: Queryable, lease: Lease): Promise<void> {
  await db.query({
    name: "forget_save",
    text: `delete from workspace_saves using sessions where session_id = $1 and ${HELD}`,
    values: leaseValues(lease),
  });
}
