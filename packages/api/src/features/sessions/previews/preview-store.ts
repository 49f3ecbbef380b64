import { MAX_SESSION_PREVIEWS, type Preview, parseId } from "@berth/contract";
import { requireFound } from "@berth/store/access";
import { condition, type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";

export interface PreviewRow {
  id: string;
  session_id: string;
  label: string;
  port: number;
  created_by: Preview["created_by"];
  expires_at: Date;
}

const columns = "id, session_id, label, port, created_by, expires_at";

/**
 * Stores a preview of a locked session, in place of those that have expired. Returns null, and stores nothing,
 * when the session has as many as it may have.
 */
export async function insertPreview(
  tx: Queryable,
  { id, session_id, label, port, created_by, seconds }: Omit<PreviewRow, "expires_at"> & { seconds: number },
): Promise<PreviewRow | null> {
  await tx.query({
    name: "delete_expired_previews_of",
    text: "delete from port_previews where session_id = $1 and expires_at <= now()",
    values: [session_id],
  });
  const { rows } = await tx.query<PreviewRow>({
    name: "insert_preview",
    text: `
      insert into port_previews (id, session_id, label, port, created_by, expires_at)
      select $1, $2, $3, $4, $5, date_trunc('milliseconds', now()) + $6 * interval '1 second'
      where (select count(*) from port_previews where session_id = $2) < ${MAX_SESSION_PREVIEWS}
      returning ${columns}`,
    values: [id, session_id, label, port, JSON.stringify(created_by), seconds],
  });
  return rows[0] ?? null;
}

/** Returns a preview of a session that the caller can access. @throws errors.notFound */
export async function requirePreview(
  db: Queryable,
  sessionUuid: string,
  previewId: string,
): Promise<PreviewRow> {
  const id = parseId("preview", previewId);
  const row = id === null ? null : await getPreview(db, sessionUuid, id);
  return requireFound("preview", previewId, row);
}

async function getPreview(db: Queryable, sessionUuid: string, id: string): Promise<PreviewRow | null> {
  const { rows } = await db.query<PreviewRow>({
    name: "get_preview",
    text: `select ${columns} from port_previews where session_id = $1 and id = $2 and expires_at > now()`,
    values: [sessionUuid, id],
  });
  return rows[0] ?? null;
}

export async function listPreviews(
  db: Queryable,
  sessionUuid: string,
  range: KeysetRange,
): Promise<PreviewRow[]> {
  const listing = { table: "port_previews", columns, conditions: [condition("expires_at > now()")] };
  return await selectKeyset<PreviewRow>(db, range, listing, [{ column: "session_id", value: sessionUuid }]);
}

export async function deletePreview(db: Queryable, id: string): Promise<void> {
  const text = "delete from port_previews where id = $1";
  await db.query({ name: "delete_preview", text, values: [id] });
}

/** Deletes the previews that have expired. */
export async function deleteExpiredPreviews(db: Queryable): Promise<void> {
  await db.query({ text: "delete from port_previews where expires_at < now()" });
}
