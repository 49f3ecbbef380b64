import { uuidTimestamp } from "@berth/contract";
import { type KeysetPlace, selectKeyset } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import { type ResourceRow, resourceColumns } from "./resource-row.ts";

export async function getResource(db: Queryable, sessionId: string, id: string): Promise<ResourceRow | null> {
  const text = `select ${resourceColumns} from session_resources where session_id = $1 and id = $2`;
  const { rows } = await db.query<ResourceRow>({ name: "get_resource", text, values: [sessionId, id] });
  return rows[0] ?? null;
}

export async function listResources(
  db: Queryable,
  sessionId: string,
  place: KeysetPlace,
): Promise<ResourceRow[]> {
  const listed = { table: "session_resources", columns: resourceColumns };
  return await selectKeyset<ResourceRow>(db, place, listed, [{ column: "session_id", value: sessionId }]);
}

/** The files and mount paths of a session's resources. */
export async function mounts(
  tx: Queryable,
  sessionId: string,
): Promise<Pick<ResourceRow, "file_id" | "mount_path">[]> {
  const text = "select file_id, mount_path from session_resources where session_id = $1";
  type Row = Pick<ResourceRow, "file_id" | "mount_path">;
  return (await tx.query<Row>({ name: "session_mounts", text, values: [sessionId] })).rows;
}

/** Stores a file resource; the session was changed by it, and is due, so that whoever holds it puts the file in place. */
export async function insertFileResource(
  tx: Queryable,
  resource: { id: string; sessionId: string; fileId: string; mountPath: string },
): Promise<ResourceRow> {
  const createdAt = uuidTimestamp(resource.id);
  await tx.query({
    name: "insert_file_resource",
    text: `
      with session as (
        update sessions set updated_at = now(), pending_at = coalesce(pending_at, now()) where id = $2
      )
      insert into session_resources (id, session_id, type, file_id, mount_path, updated_at)
      values ($1, $2, 'file', $3, $4, $5)`,
    values: [resource.id, resource.sessionId, resource.fileId, resource.mountPath, createdAt],
  });
  return {
    id: resource.id,
    type: "file",
    url: null,
    username: null,
    checkout: null,
    file_id: resource.fileId,
    memory_store_id: null,
    memory_access: null,
    memory_instructions: null,
    memory_name: null,
    memory_description: null,
    mount_path: resource.mountPath,
    updated_at: createdAt,
  };
}

/** Deletes a file resource and leaves a removal; the session is due, so that whoever holds it takes the file away. */
export async function removeFileResource(
  tx: Queryable,
  sessionId: string,
  resource: Pick<ResourceRow, "id" | "mount_path">,
): Promise<void> {
  await tx.query({
    name: "remove_file_resource",
    text: `
      with resource as (
        delete from session_resources where id = $1
      ), removal as (
        insert into session_removals (resource_id, session_id, mount_path) values ($1, $2, $3)
      )
      update sessions set updated_at = now(), pending_at = coalesce(pending_at, now()) where id = $2`,
    values: [resource.id, sessionId, resource.mount_path],
  });
}

/** Replaces the envelope of a repository's token; the next command reads the new one, and a clone that failed is tried again. */
export async function updateSecret(tx: Queryable, id: string, secret: Buffer): Promise<ResourceRow> {
  const { rows } = await tx.query<ResourceRow>({
    name: "update_resource_secret",
    text: `
      with resource as (
        update session_resources set secret = $2, updated_at = now() where id = $1
        returning ${resourceColumns}, session_id
      ), session as (
        update sessions set updated_at = now(), pending_at = coalesce(pending_at, now())
        from resource where sessions.id = resource.session_id
      )
      select ${resourceColumns} from resource`,
    values: [id, secret],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("A resource vanished while its session was locked.");
  return row;
}
