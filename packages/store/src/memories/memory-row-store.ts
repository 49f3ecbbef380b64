import { createHash } from "node:crypto";
import { formatId, type Memory, parseId, uuidTimestamp } from "@berth/contract";
import { requireFound } from "../access/require-access.ts";
import { condition } from "../db/assembled-statement.ts";
import { type KeysetRange, selectKeyset } from "../db/keyset.ts";
import type { Queryable } from "../db/statement.ts";

/** A memory without its content. Ids are uuids. */
export interface MemoryRow {
  id: string;
  memory_store_id: string;
  /** uuid of its newest version. */
  version_id: string;
  path: string;
  content_sha256: string;
  size_bytes: number;
  updated_at: Date;
}

export type MemoryWithContent = MemoryRow & { content: string };

const columns = "id, memory_store_id, version_id, path, content_sha256, size_bytes, updated_at";

async function getMemory(db: Queryable, storeId: string, id: string): Promise<MemoryWithContent | null> {
  const { rows } = await db.query<MemoryWithContent>({
    name: "get_memory",
    text: `select ${columns}, content from memories where memory_store_id = $1 and id = $2`,
    values: [storeId, id],
  });
  return rows[0] ?? null;
}

/**
 * Reads a memory of a store that the caller can access.
 * @throws errors.notFound
 */
export async function requireMemory(
  db: Queryable,
  storeUuid: string,
  memoryId: string,
): Promise<MemoryWithContent> {
  const id = parseId("memory", memoryId);
  const row = id === null ? null : await getMemory(db, storeUuid, id);
  return requireFound("memory", memoryId, row);
}

export async function listMemories(
  db: Queryable,
  storeId: string,
  range: KeysetRange,
  pathPrefix: string | null,
): Promise<MemoryRow[]> {
  const conditions = pathPrefix === null ? [] : [condition("starts_with(path, ?::text)", pathPrefix)];
  const listing = { table: "memories", columns, conditions };
  return await selectKeyset<MemoryRow>(db, range, listing, [{ column: "memory_store_id", value: storeId }]);
}

/** Returns the memory in the API's form, without the content. */
export function toMemory(row: MemoryRow): Memory {
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

export function toMemoryWithContent(row: MemoryWithContent): Memory {
  return { ...toMemory(row), content: row.content };
}

/** Returns the SHA-256 in hexadecimal digits. */
export function contentHash(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
