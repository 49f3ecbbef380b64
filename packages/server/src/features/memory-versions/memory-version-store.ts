import { formatId, type MemoryActor, type MemoryVersion, uuidTimestamp } from "@berth/contract";
import { type Condition, type KeysetPlace, one, selectKeyset } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";

/** A version without its content. Ids are uuids. */
export interface MemoryVersionRow {
  id: string;
  memory_store_id: string;
  memory_id: string;
  operation: MemoryVersion["operation"];
  path: string | null;
  content_sha256: string | null;
  size_bytes: number | null;
  created_by: MemoryActor;
  redacted_at: Date | null;
  redacted_by: MemoryActor | null;
}

export type WholeMemoryVersion = MemoryVersionRow & { content: string | null };

export interface VersionFilters {
  memoryId: string | null;
  sessionId: string | null;
  operation: MemoryVersion["operation"] | null;
}

const columns = `id, memory_store_id, memory_id, operation, path, content_sha256, size_bytes, created_by, redacted_at,
  redacted_by`;

export async function getMemoryVersion(
  db: Queryable,
  storeId: string,
  id: string,
): Promise<WholeMemoryVersion | null> {
  const { rows } = await db.query<WholeMemoryVersion>({
    name: "get_memory_version",
    text: `select ${columns}, content from memory_versions where memory_store_id = $1 and id = $2`,
    values: [storeId, id],
  });
  return rows[0] ?? null;
}

export async function listMemoryVersions(
  db: Queryable,
  storeId: string,
  place: KeysetPlace,
  { memoryId, sessionId, operation }: VersionFilters,
): Promise<MemoryVersionRow[]> {
  const conditions: Condition[] = [
    one("memory_store_id = ?", storeId),
    ...(sessionId === null ? [] : [one("session_id = ?", sessionId)]),
    ...(operation === null ? [] : [one("operation = ?", operation)]),
  ];
  const branch =
    memoryId !== null
      ? { column: "memory_id", value: memoryId }
      : sessionId !== null
        ? { column: "session_id", value: sessionId }
        : { column: "memory_store_id", value: storeId };
  const listed = { table: "memory_versions", columns, conditions };
  return await selectKeyset<MemoryVersionRow>(db, place, listed, [branch]);
}

/**
 * Takes away what a version holds, in a store that is locked. False, and nothing is taken, while it is the newest of a
 * memory that is there.
 */
export async function redactMemoryVersion(tx: Queryable, id: string, actor: MemoryActor): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "redact_memory_version",
    text: `
      update memory_versions set path = null, content = null, content_sha256 = null, size_bytes = null,
        redacted_at = now(), redacted_by = $2
      where id = $1 and not exists (select from memories where version_id = $1)`,
    values: [id, actor],
  });
  return rowCount === 1;
}

/** The version as the API answers it, without its content. */
export function memoryVersionAnswer(row: MemoryVersionRow): MemoryVersion {
  return {
    id: formatId("memory_version", row.id),
    type: "memory_version",
    memory_store_id: formatId("memory_store", row.memory_store_id),
    memory_id: formatId("memory", row.memory_id),
    operation: row.operation,
    path: row.path,
    content: null,
    content_sha256: row.content_sha256,
    size_bytes: row.size_bytes,
    created_by: row.created_by,
    redacted_at: row.redacted_at?.toISOString() ?? null,
    redacted_by: row.redacted_by,
    created_at: uuidTimestamp(row.id),
  };
}

export function wholeMemoryVersionAnswer(row: WholeMemoryVersion): MemoryVersion {
  return { ...memoryVersionAnswer(row), content: row.content };
}
