import { type File, formatId, uuidTimestamp } from "@berth/contract";
import {
  type AccessFilter,
  accessCondition,
  canRead,
  ownerFields,
  type Principal,
  requireAccess,
  SHARED_COLUMNS,
  type SharedRow,
  selectAccessible,
} from "@berth/store/access";
import { isWithin, type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";

export interface FileRow extends SharedRow {
  filename: string;
  mime_type: string;
  /** Size in bytes; null while the file is pending and its size unknown. */
  size_bytes: number | null;
  /** Bytes of the content that are durably on disk, while the file is pending. */
  uploaded_bytes: number;
  sha256: string | null;
  status: "pending" | "ready" | "failed";
  downloadable: boolean;
  scope_session_id: string | null;
  /** Whether an output is its session's newest of that name. Null for uploads. */
  current: boolean | null;
  metadata: Record<string, string>;
  updated_at: Date;
}

export type NewFile = Omit<FileRow, "uploaded_bytes" | "current" | "updated_at">;

const ownColumns = `filename, mime_type, size_bytes, sha256, status,
  downloadable, scope_session_id, metadata, updated_at`;
/** SQL that compares output names, which can be long, by their indexed hash first. */
const current = `case when scope_session_id is not null then not exists (
    select 1 from files as newer
    where newer.scope_session_id = files.scope_session_id and md5(newer.filename) = md5(files.filename)
      and newer.filename = files.filename and newer.id > files.id
  ) end as current`;
/** Who sees a session, sees its outputs. */
const sharing = `organization_id, owner_type, owner_id, scope_session_id as shared_by, case when scope_session_id is null then organization_access
    else (select sessions.organization_access from sessions where sessions.id = scope_session_id) end as organization_access`;
export const columns = `id, ${sharing}, ${ownColumns}, uploaded_bytes, ${current}`;

export async function insertFile(db: Queryable, file: NewFile): Promise<FileRow> {
  const createdAt = uuidTimestamp(file.id);
  await db.query({
    name: "insert_file",
    text: `insert into files (id, ${SHARED_COLUMNS}, ${ownColumns})
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    values: [
      file.id,
      file.organization_id,
      file.owner_type,
      file.owner_id,
      file.organization_access,
      file.filename,
      file.mime_type,
      file.size_bytes,
      file.sha256,
      file.status,
      file.downloadable,
      file.scope_session_id,
      file.metadata,
      createdAt,
    ],
  });
  return { ...file, uploaded_bytes: 0, current: null, updated_at: new Date(createdAt) };
}

async function getFile(db: Queryable, id: string): Promise<FileRow | null> {
  const text = `select ${columns} from files where id = $1`;
  return (await db.query<FileRow>({ name: "get_file", text, values: [id] })).rows[0] ?? null;
}

/** @throws errors.notFound, errors.notYours */
export const requireFile = requireAccess("file", getFile);

/** Returns the same as `requireFile`, and locks the file. Waits for requests that mount it. */
export const requireFileForDelete = requireAccess("file", lockFile);

async function lockFile(tx: Queryable, id: string): Promise<FileRow | null> {
  const text = `select ${columns} from files where id = $1 for update`;
  return (await tx.query<FileRow>({ name: "lock_file", text, values: [id] })).rows[0] ?? null;
}

/** Returns the same as `requireFile`, and prevents deletion until the transaction ends. */
export const requireFileForMount = requireAccess(
  "file",
  async (tx, id) => (await lockFiles(tx, [id]))[0] ?? null,
);

/** Returns whether a session that is neither terminated nor archived mounts the file or has it in its log. */
export async function isFileUsed(tx: Queryable, id: string): Promise<boolean> {
  const { rows } = await tx.query({
    name: "file_is_used",
    text: `
      select 1 as used from (
        select session_id from session_resources where file_id = $1
        union all select session_id from event_files where file_id = $1
      ) as use join sessions on sessions.id = session_id
      where terminated_at is null and archived_at is null limit 1`,
    values: [id],
  });
  return rows.length > 0;
}

export async function deleteFileRow(tx: Queryable, id: string): Promise<void> {
  await tx.query({ name: "delete_file", text: "delete from files where id = $1", values: [id] });
}

/** Counts the owner's pending files. The owner can create no other until the transaction ends. */
export async function countPendingFiles(tx: Queryable, ownerId: string): Promise<number> {
  await tx.query({
    name: "lock_announcing",
    text: "select pg_advisory_xact_lock(hashtextextended('announcing ' || $1, 0))",
    values: [ownerId],
  });
  const { rows } = await tx.query<{ count: number }>({
    name: "count_pending_files",
    text: "select count(*)::integer as count from files where owner_id = $1 and status = 'pending'",
    values: [ownerId],
  });
  return rows[0]?.count ?? 0;
}

/** Returns the files that exist, and prevents their deletion until the transaction ends. */
export async function lockFiles(tx: Queryable, ids: readonly string[]): Promise<FileRow[]> {
  const text = `select ${columns} from files where id = any($1::uuid[]) order by id for key share`;
  return (await tx.query<FileRow>({ name: "lock_files", text, values: [ids] })).rows;
}

/** Returns the files that exist, in no particular order. */
export async function getFiles(db: Queryable, ids: readonly string[]): Promise<FileRow[]> {
  const text = `select ${columns} from files where id = any($1::uuid[])`;
  return (await db.query<FileRow>({ name: "get_files", text, values: [ids] })).rows;
}

export async function listFiles(
  db: Queryable,
  principal: Principal,
  range: KeysetRange,
  filters: AccessFilter & { scopeSessionId: string | null; ids: readonly string[] | null },
): Promise<FileRow[]> {
  const { scopeSessionId: scope, ids } = filters;
  if (ids !== null) return await listNamedFiles(db, principal, range, ids, scope);
  if (scope === null)
    return await selectAccessible<FileRow>(
      db,
      principal,
      range,
      { table: "files", columns },
      "file",
      filters,
    );
  const ofSession = accessCondition(principal, filters);
  const conditions = [
    { ...ofSession, text: `exists (select from sessions where id = scope_session_id and ${ofSession.text})` },
  ];
  const listing = { table: "files", columns, conditions };
  return await selectKeyset<FileRow>(db, range, listing, [{ column: "scope_session_id", value: scope }]);
}

/** Lists files by id, at most a hundred. They are filtered and sorted here. */
async function listNamedFiles(
  db: Queryable,
  principal: Principal,
  range: KeysetRange,
  ids: readonly string[],
  scope: string | null,
): Promise<FileRow[]> {
  const found = (await getFiles(db, ids)).filter(
    (row) => (scope === null || row.scope_session_id === scope) && isWithin(range, row.id),
  );
  const readable = await canRead(db, principal, found);
  const rows = found.filter((_, index) => readable[index]);
  const newestFirst = rows.sort((one, other) => (one.id < other.id ? 1 : -1));
  return (range.direction === "older" ? newestFirst : newestFirst.reverse()).slice(0, range.rows);
}

export function toFile(row: FileRow): File {
  const { scope_session_id: scope } = row;
  return {
    id: formatId("file", row.id),
    type: "file",
    filename: row.filename,
    mime_type: row.mime_type,
    size_bytes: row.size_bytes,
    uploaded_bytes: row.status === "ready" ? (row.size_bytes ?? 0) : row.uploaded_bytes,
    sha256: row.sha256,
    status: row.status,
    downloadable: row.downloadable,
    scope: scope === null ? null : { type: "session", id: formatId("session", scope) },
    current: row.current,
    metadata: row.metadata,
    ...ownerFields(row),
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}
