import { type File, formatId, uuidTimestamp } from "@berth/contract";
import { isWithin, type KeysetPlace, reachCondition, selectKeyset, selectReached } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import { type Owner, type Principal, reaches } from "../../http/principal.ts";

export interface FileRow extends Owner {
  id: string;
  filename: string;
  mime_type: string;
  /** Null while it is pending and its size was not told. */
  size_bytes: number | null;
  /** While it is pending: how much of its content is on disk to stay. */
  uploaded_bytes: number;
  sha256: string | null;
  status: "pending" | "ready" | "failed";
  downloadable: boolean;
  scope_session_id: string | null;
  metadata: Record<string, string>;
  updated_at: Date;
}

export type NewFile = Omit<FileRow, "uploaded_bytes" | "updated_at">;

const given = `id, organization_id, owner_type, owner_id, filename, mime_type, size_bytes, sha256, status,
  downloadable, scope_session_id, metadata, updated_at`;
export const columns = `${given}, uploaded_bytes`;

export async function insertFile(db: Queryable, file: NewFile): Promise<FileRow> {
  const createdAt = uuidTimestamp(file.id);
  await db.query({
    name: "insert_file",
    text: `insert into files (${given}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    values: [
      file.id,
      file.organization_id,
      file.owner_type,
      file.owner_id,
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
  return { ...file, uploaded_bytes: 0, updated_at: new Date(createdAt) };
}

export async function getFile(db: Queryable, id: string): Promise<FileRow | null> {
  const text = `select ${columns} from files where id = $1`;
  return (await db.query<FileRow>({ name: "get_file", text, values: [id] })).rows[0] ?? null;
}

/** Those of the files that exist, which stay until the transaction ends. */
export async function lockFiles(tx: Queryable, ids: readonly string[]): Promise<FileRow[]> {
  const text = `select ${columns} from files where id = any($1::uuid[]) order by id for key share`;
  return (await tx.query<FileRow>({ name: "lock_files", text, values: [ids] })).rows;
}

/** Those of the files that exist, in no order. */
export async function getFiles(db: Queryable, ids: readonly string[]): Promise<FileRow[]> {
  const text = `select ${columns} from files where id = any($1::uuid[])`;
  return (await db.query<FileRow>({ name: "get_files", text, values: [ids] })).rows;
}

export async function listFiles(
  db: Queryable,
  principal: Principal,
  place: KeysetPlace,
  filters: { scopeSessionId: string | null; ids: readonly string[] | null },
): Promise<FileRow[]> {
  const { scopeSessionId: scope, ids } = filters;
  if (ids !== null) return await listNamedFiles(db, principal, place, ids, scope);
  if (scope === null) return await selectReached<FileRow>(db, principal, place, { table: "files", columns });
  const listed = { table: "files", columns, conditions: [reachCondition(principal)] };
  return await selectKeyset<FileRow>(db, place, listed, [{ column: "scope_session_id", value: scope }]);
}

/** At most a hundred: they are read by their ids and put into order here. */
async function listNamedFiles(
  db: Queryable,
  principal: Principal,
  place: KeysetPlace,
  ids: readonly string[],
  scope: string | null,
): Promise<FileRow[]> {
  const rows = (await getFiles(db, ids)).filter(
    (row) =>
      reaches(principal, row) &&
      (scope === null || row.scope_session_id === scope) &&
      isWithin(place, row.id),
  );
  const newestFirst = rows.sort((one, other) => (one.id < other.id ? 1 : -1));
  return (place.direction === "older" ? newestFirst : newestFirst.reverse()).slice(0, place.rows);
}

/** The file as the API answers it. */
export function fileAnswer(row: FileRow): File {
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
    metadata: row.metadata,
    owner_type: row.owner_type,
    owner_id: formatId(row.owner_type, row.owner_id),
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}
