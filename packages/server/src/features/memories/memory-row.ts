import { createHash } from "node:crypto";
import { formatId, type Memory, uuidTimestamp } from "@berth/contract";
import { type KeysetPlace, one, selectKeyset } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";

/** A memory without its content. Ids are uuids. */
export interface MemoryRow {
  id: string;
  memory_store_id: string;
  /** The newest of its versions. */
  version_id: string;
  path: string;
  content_sha256: string;
  size_bytes: number;
  updated_at: Date;
}

export type WholeMemory = MemoryRow & { content: string };

const columns = "id, memory_store_id, version_id, path, content_sha256, size_bytes, updated_at";

export async function getMemory(db: Queryable, storeId: string, id: string): Promise<WholeMemory | null> {
  const { rows } = await db.query<WholeMemory>({
    name: "get_memory",
    text: `select ${columns}, content from memories where memory_store_id = $1 and id = $2`,
    values: [storeId, id],
  });
  return rows[0] ?? null;
}

export async function listMemories(
  db: Queryable,
  storeId: string,
  place: KeysetPlace,
  pathPrefix: string | null,
): Promise<MemoryRow[]> {
  const conditions = pathPrefix === null ? [] : [one("starts_with(path, ?::text)", pathPrefix)];
  const listed = { table: "memories", columns, conditions };
  return await selectKeyset<MemoryRow>(db, place, listed, [{ column: "memory_store_id", value: storeId }]);
}

/** The memory as the API answers it, without its content. */
export function memoryAnswer(row: MemoryRow): Memory {
  return {
    id: formatId("memory", row.id),
    type: "memory",
    memory_store_id: formatId("memory_store", row.memory_store_id),
    memory_version_id: formatId("memory_version", row.version_id),
    path: row.path,
    content: null,
    content_sha256: row.content_sha256,
    size_bytes: row.size_bytes,
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}

export function wholeMemoryAnswer(row: WholeMemory): Memory {
  return { ...memoryAnswer(row), content: row.content };
}

/** SHA-256 in hexadecimal digits. */
export function contentHash(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
