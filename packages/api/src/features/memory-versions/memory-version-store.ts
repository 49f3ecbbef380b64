import { formatId, type MemoryActor, type MemoryVersion, parseId, uuidTimestamp } from "@berth/contract";
import { requireFound } from "@berth/store/access";
import { type Condition, condition, type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";

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

export type MemoryVersionWithContent = MemoryVersionRow & { content: string | null };

interface VersionFilters {
  memoryId: string | null;
  sessionId: string | null;
  operation: MemoryVersion["operation"] | null;
}

const columns = `id, memory_store_id, memory_id, operation, path, content_sha256, size_bytes, created_by, redacted_at,
  redacted_by`;

async function getMemoryVersion(
  db: Queryable,
  storeId: string,
  id: string,
): Promise<MemoryVersionWithContent | null> {
  const { rows } = await db.query<MemoryVersionWithContent>({
    name: "get_memory_version",
    text: `select ${columns}, content from memory_versions where memory_store_id = $1 and id = $2`,
    values: [storeId, id],
  });
  return rows[0] ?? null;
}

/** Returns a version of a store that the caller can access. @throws errors.notFound */
export async function requireMemoryVersion(
  db: Queryable,
  storeUuid: string,
  versionId: string,
): Promise<MemoryVersionWithContent> {
  const id = parseId("memory_version", versionId);
  const row = id === null ? null : await getMemoryVersion(db, storeUuid, id);
  return requireFound("memory_version", versionId, row);
}

export async function listMemoryVersions(
  db: Queryable,
  storeId: string,
  range: KeysetRange,
  { memoryId, sessionId, operation }: VersionFilters,
): Promise<MemoryVersionRow[]> {
  const conditions: Condition[] = [
    condition("memory_store_id = ?", storeId),
    ...(sessionId === null ? [] : [condition("session_id = ?", sessionId)]),
    ...(operation === null ? [] : [condition("operation = ?", operation)]),
  ];
  const branch =
    memoryId !== null
      ? { column: "memory_id", value: memoryId }
      : sessionId !== null
        ? { column: "session_id", value: sessionId }
        : { column: "memory_store_id", value: storeId };
  const listing = { table: "memory_versions", columns, conditions };
  return await selectKeyset<MemoryVersionRow>(db, range, listing, [branch]);
}

/** Removes a version's content, in a locked store. Returns false for the newest of an existing memory. */
export async function clearContent(tx: Queryable, id: string, actor: MemoryActor): Promise<boolean> {
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

/** Returns a version in the form of the API, without its content. */
export function toMemoryVersion(row: MemoryVersionRow): MemoryVersion {
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

export function toMemoryVersionWithContent(row: MemoryVersionWithContent): MemoryVersion {
  return { ...toMemoryVersion(row), content: row.content };
}
