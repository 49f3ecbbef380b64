import { LeaseLost } from "@berth/agent";
import { newUuid, uuidTimestamp } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";

/** A path as it was last collected. `sha256` is null when the file was left out. */
export interface Collected {
  sha256: string | null;
  stamp: string | null;
}

/** Returns a session's collected paths, decoded as `latin1`, so that each byte is a character. */
export async function readCollected(db: Queryable, sessionId: string): Promise<Map<string, Collected>> {
  const { rows } = await db.query<Collected & { path: Buffer }>({
    name: "read_collected",
    text: "select path, sha256, stamp from session_outputs where session_id = $1",
    values: [sessionId],
  });
  return new Map(rows.map(({ path, ...rest }) => [path.toString("latin1"), rest]));
}

export interface OutputFile {
  filename: string;
  mimeType: string;
  size: number;
}

/** A path that is being collected. `file` is null when only its stamp is new, or the file is left out. */
export interface CollectedOutput extends Collected {
  path: Buffer;
  file: OutputFile | null;
}

/** Stores one output, as `storeOutputs` does. @throws LeaseLost */
export async function storeOutput(
  db: Queryable,
  lease: Lease,
  path: Buffer,
  collected: Collected,
  file: OutputFile | null,
): Promise<void> {
  await storeOutputs(db, lease, [{ path, ...collected, file }]);
}

/**
 * Records paths as collected, and stores a file of the session for each that has one. All or nothing.
 *
 * @param outputs with different paths. @throws LeaseLost
 */
export async function storeOutputs(
  db: Queryable,
  lease: Lease,
  outputs: readonly CollectedOutput[],
): Promise<void> {
  const ids = outputs.map(() => newUuid());
  const files = outputs.map(({ file }) => file);
  const { rows } = await db.query({
    name: "store_output",
    text: `
      with held as (
        select id, organization_id, owner_type, owner_id from sessions
        where id = $1 and lease_owner = $2 and lease_epoch = $3 and terminated_at is null
        for no key update
      ), given as (
        select * from unnest($4::bytea[], $5::text[], $6::text[], $7::uuid[], $8::timestamptz[], $9::text[], $10::text[],
          $11::bigint[]) as output (path, stamp, sha256, id, now, filename, mime_type, size_bytes)
      ), file as (
        insert into files (id, organization_id, owner_type, owner_id, filename, mime_type, size_bytes, sha256, status,
          scope_session_id, updated_at)
        select given.id, held.organization_id, held.owner_type, held.owner_id, given.filename, given.mime_type,
          given.size_bytes, given.sha256, 'ready', held.id, given.now
        from held, given where given.filename is not null
      ), output as (
        insert into session_outputs (session_id, path, sha256, stamp)
        select held.id, given.path, given.sha256, given.stamp from held, given
        on conflict (session_id, path) do update set sha256 = excluded.sha256, stamp = excluded.stamp
      )
      select id from held`,
    values: [
      lease.sessionId,
      lease.owner,
      lease.epoch,
      outputs.map(({ path }) => path),
      outputs.map(({ stamp }) => stamp),
      outputs.map(({ sha256 }) => sha256),
      ids,
      ids.map(uuidTimestamp),
      files.map((file) => file?.filename ?? null),
      files.map((file) => file?.mimeType ?? null),
      files.map((file) => file?.size ?? null),
    ],
  });
  if (rows.length === 0) throw new LeaseLost();
}

/** Returns whether a sandbox was open since the outputs were last collected completely. @throws LeaseLost */
export async function areOutputsDue(db: Queryable, lease: Lease): Promise<boolean> {
  const { rows } = await db.query<{ outputs_due: boolean }>({
    name: "outputs_due",
    text: "select outputs_due from sessions where id = $1 and lease_owner = $2 and lease_epoch = $3",
    values: [lease.sessionId, lease.owner, lease.epoch],
  });
  if (rows[0] === undefined) throw new LeaseLost();
  return rows[0].outputs_due;
}

/** Sets whether outputs are to be collected. @throws LeaseLost */
export async function markOutputsDue(db: Queryable, lease: Lease, due: boolean): Promise<void> {
  const { rowCount } = await db.query({
    name: "mark_outputs_due",
    text: "update sessions set outputs_due = $4 where id = $1 and lease_owner = $2 and lease_epoch = $3",
    values: [lease.sessionId, lease.owner, lease.epoch, due],
  });
  if (rowCount === 0) throw new LeaseLost();
}
