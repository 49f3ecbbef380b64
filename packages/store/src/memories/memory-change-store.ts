import {
  formatId,
  MAX_MEMORIES,
  type MemoryActor,
  type MemoryOperation,
  newUuid,
  parseId,
  uuidTimestamp,
} from "@berth/contract";
import type { Principal } from "../access/principal.ts";
import { databaseNow } from "../db/database-clock.ts";
import type { Queryable } from "../db/statement.ts";
import { contentHash, type MemoryRow } from "./memory-row-store.ts";

/** The reason why a memory cannot be stored at a path. */
export type MemoryConflict = { conflict: "path_taken"; by: string } | { conflict: "store_full" };

/** Returns the actor of a change that a principal makes by the API. */
export function apiActor({ tokenId, kind, id }: Principal): MemoryActor {
  const token_id = formatId("token", tokenId);
  return { type: "api_actor", token_id, principal_id: formatId(kind, id) };
}

/** Creates a memory in a locked store, with its first version. */
export async function insertMemory(
  tx: Queryable,
  storeId: string,
  actor: MemoryActor,
  { path, content }: { path: string; content: string },
): Promise<MemoryRow | MemoryConflict> {
  const conflict = (await pathTaken(tx, storeId, path, null)) ?? (await storeFull(tx, storeId));
  if (conflict !== null) return conflict;
  const id = newUuid();
  const memory = memoryRow({ id, memory_store_id: storeId }, path, content, uuidTimestamp(id));
  await tx.query({
    name: "insert_memory",
    text: `
      insert into memories (id, memory_store_id, version_id, path, content, content_sha256, size_bytes, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      memory.id,
      storeId,
      memory.version_id,
      path,
      content,
      memory.content_sha256,
      memory.size_bytes,
      memory.updated_at,
    ],
  });
  await insertVersion(tx, "created", actor, memory, content);
  return memory;
}

/** Changes the path of a memory, its content, or both, with a new version. The store is locked. */
export async function modifyMemory(
  tx: Queryable,
  former: Pick<MemoryRow, "id" | "memory_store_id" | "path">,
  actor: MemoryActor,
  { path, content }: { path: string; content: string },
): Promise<MemoryRow | MemoryConflict> {
  const conflict = path === former.path ? null : await pathTaken(tx, former.memory_store_id, path, former.id);
  if (conflict !== null) return conflict;
  const memory = memoryRow(former, path, content);
  await tx.query({
    name: "update_memory",
    text: `
      update memories set version_id = $2, path = $3, content = $4, content_sha256 = $5, size_bytes = $6,
        updated_at = $7
      where id = $1`,
    values: [
      memory.id,
      memory.version_id,
      path,
      content,
      memory.content_sha256,
      memory.size_bytes,
      memory.updated_at,
    ],
  });
  await insertVersion(tx, "modified", actor, memory, content);
  return memory;
}

/** Deletes a memory of a locked store. Its versions are kept. */
export async function removeMemory(
  tx: Queryable,
  { id, memory_store_id, path }: Pick<MemoryRow, "id" | "memory_store_id" | "path">,
  actor: MemoryActor,
): Promise<void> {
  await tx.query({ name: "delete_memory", text: "delete from memories where id = $1", values: [id] });
  const deleted = {
    id,
    memory_store_id,
    path,
    version_id: newUuid(),
    content_sha256: null,
    size_bytes: null,
  };
  await insertVersion(tx, "deleted", actor, deleted, null);
}

function memoryRow(
  { id, memory_store_id }: Pick<MemoryRow, "id" | "memory_store_id">,
  path: string,
  content: string,
  at: string | number = databaseNow(),
): MemoryRow {
  return {
    id,
    memory_store_id,
    version_id: newUuid(),
    path,
    content_sha256: contentHash(content),
    size_bytes: Buffer.byteLength(content),
    updated_at: new Date(at),
  };
}

async function insertVersion(
  tx: Queryable,
  operation: MemoryOperation,
  actor: MemoryActor,
  memory: Pick<MemoryRow, "id" | "memory_store_id" | "version_id" | "path"> & {
    content_sha256: string | null;
    size_bytes: number | null;
  },
  content: string | null,
): Promise<void> {
  await tx.query({
    name: "insert_memory_version",
    text: `
      with counted as (update memory_stores set last_version = last_version + 1 where id = $2)
      insert into memory_versions (id, memory_store_id, memory_id, operation, path, content, content_sha256, size_bytes,
        created_by, session_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
      memory.version_id,
      memory.memory_store_id,
      memory.id,
      operation,
      memory.path,
      content,
      memory.content_sha256,
      memory.size_bytes,
      actor,
      actor.type === "session_actor" ? parseId("session", actor.session_id) : null,
    ],
  });
}

/**
 * Returns a conflict with the path. Memories are files, so no two have the same path, and none lies below
 * another.
 */
async function pathTaken(
  tx: Queryable,
  storeId: string,
  path: string,
  own: string | null,
): Promise<MemoryConflict | null> {
  const { rows } = await tx.query<{ path: string }>({
    name: "conflicting_memory",
    text: `
      select path from memories
      where memory_store_id = $1 and id is distinct from $3::uuid
        and (path = $2 or starts_with(path, $2 || '/') or starts_with($2, path || '/'))
      order by path limit 1`,
    values: [storeId, path, own],
  });
  return rows[0] === undefined ? null : { conflict: "path_taken", by: rows[0].path };
}

async function storeFull(tx: Queryable, storeId: string): Promise<MemoryConflict | null> {
  const { rows } = await tx.query<{ full: boolean }>({
    name: "memory_store_is_full",
    text: "select count(*) >= $2 as full from memories where memory_store_id = $1",
    values: [storeId, MAX_MEMORIES],
  });
  return rows[0]?.full === true ? { conflict: "store_full" } : null;
}
