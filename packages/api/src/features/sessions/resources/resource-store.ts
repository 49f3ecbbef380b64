import { parseId } from "@berth/contract";
import { requireFound } from "@berth/store/access";
import { type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";
import type { NewResource, ResourceRow } from "./resource-row.ts";
import { insertResources, resourceColumns, resourcesJson } from "./resource-statements.ts";

/** Returns a resource of a session that the caller can access. @throws errors.notFound */
export async function requireResource(
  db: Queryable,
  sessionUuid: string,
  resourceId: string,
): Promise<ResourceRow> {
  const id = parseId("session_resource", resourceId);
  const row = id === null ? null : await getResource(db, sessionUuid, id);
  return requireFound("session_resource", resourceId, row);
}

async function getResource(db: Queryable, sessionUuid: string, id: string): Promise<ResourceRow | null> {
  const text = `select ${resourceColumns} from session_resources where session_id = $1 and id = $2`;
  const { rows } = await db.query<ResourceRow>({ name: "get_resource", text, values: [sessionUuid, id] });
  return rows[0] ?? null;
}

export async function listResources(
  db: Queryable,
  sessionUuid: string,
  range: KeysetRange,
): Promise<ResourceRow[]> {
  const listing = { table: "session_resources", columns: resourceColumns };
  return await selectKeyset<ResourceRow>(db, range, listing, [{ column: "session_id", value: sessionUuid }]);
}

type Mount = Pick<ResourceRow, "type" | "file_id" | "mount_path">;

/** Returns the files and mount paths of a session's resources. */
export async function sessionMounts(tx: Queryable, sessionUuid: string): Promise<Mount[]> {
  const text = "select type, file_id, mount_path from session_resources where session_id = $1";
  return (await tx.query<Mount>({ name: "session_mounts", text, values: [sessionUuid] })).rows;
}

/** Adds a resource to a session and makes the session due, so that its worker mounts the resource. */
export async function insertResource(
  tx: Queryable,
  sessionUuid: string,
  resource: NewResource,
): Promise<ResourceRow> {
  const { rows } = await tx.query<ResourceRow>({
    name: "insert_resource",
    text: `
      with session as (
        update sessions set updated_at = now(), pending_at = coalesce(pending_at, now()) where id = $1
        returning id
      )
      ${insertResources("$2", "session")}
      returning ${resourceColumns}`,
    values: [sessionUuid, resourcesJson([resource])],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("A resource was not stored.");
  return row;
}

/** Deletes a file resource, stores its removal, and makes the session due for its worker. */
export async function removeFileResource(
  tx: Queryable,
  sessionUuid: string,
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
    values: [resource.id, sessionUuid, resource.mount_path],
  });
}

/** Replaces a repository's sealed secret and makes the session due, so that a failed clone restarts. */
export async function updateSecret(tx: Queryable, id: string, secret: Buffer): Promise<ResourceRow> {
  const { rows } = await tx.query<ResourceRow>({
    name: "update_resource_secret",
    text: tryAnew("secret = $2,", "id = $1"),
    values: [id, secret],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("A resource is missing although its session is locked.");
  return row;
}

/** Requests another clone and makes the session due. Returns null when no clone has failed. */
export async function requestRetry(tx: Queryable, id: string): Promise<ResourceRow | null> {
  const { rows } = await tx.query<ResourceRow>({
    name: "retry_resource",
    text: tryAnew("", "id = $1 and ready_at is null and (failed_inputs is not null or attempts > 0)"),
    values: [id],
  });
  return rows[0] ?? null;
}

/** Returns SQL that resets a repository's failures, and makes a running attempt's failure not count. */
function tryAnew(assignments: string, condition: string): string {
  return `
    with resource as (
      update session_resources set ${assignments} updated_at = now(), revision = revision + 1, failed_inputs = null,
        attempts = 0, failing_since = null, retry_at = null
      where ${condition}
      returning *
    ), session as (
      update sessions set updated_at = now(), pending_at = coalesce(pending_at, now())
      from resource where sessions.id = resource.session_id
    )
    select ${resourceColumns} from resource`;
}
