import type { Input, memoryRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import {
  apiActor,
  insertMemory,
  type MemoryConflict,
  type MemoryRow,
  type MemoryWithContent,
  modifyMemory,
  removeMemory,
  requireMemory,
  requireMemoryStoreForWrite,
} from "@berth/store/memories";

/** @throws errors.locked, errors.memoryPathTaken, errors.memoryStoreFull */
export async function createMemory(
  db: DatabaseAccess,
  principal: Principal,
  { params, body }: Input<typeof memoryRoutes.create>,
): Promise<MemoryWithContent> {
  const row = await db.transaction(async (tx) => {
    const store = await requireMemoryStoreForWrite(tx, principal, params.memory_store_id);
    return unlessConflict(body.path, await insertMemory(tx, store.id, apiActor(principal), body));
  });
  return { ...row, content: body.content };
}

/**
 * Updates a memory. An update that changes nothing creates no version.
 *
 * @throws errors.locked, errors.memoryDiffers, errors.memoryPathTaken, errors.memoryStoreFull
 */
export async function updateMemory(
  db: DatabaseAccess,
  principal: Principal,
  { params, body }: Input<typeof memoryRoutes.update>,
): Promise<MemoryWithContent> {
  return await db.transaction(async (tx) => {
    const store = await requireMemoryStoreForWrite(tx, principal, params.memory_store_id);
    const memory = await requireMemory(tx, store.id, params.memory_id);
    checkContent(memory, body.precondition?.content_sha256, "precondition");
    const { path = memory.path, content = memory.content } = body;
    if (path === memory.path && content === memory.content) return memory;
    const row = unlessConflict(path, await modifyMemory(tx, memory, apiActor(principal), { path, content }));
    return { ...row, content };
  });
}

/** @throws errors.locked, errors.memoryDiffers */
export async function deleteMemory(
  db: DatabaseAccess,
  principal: Principal,
  { params, query }: Input<typeof memoryRoutes.delete>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const store = await requireMemoryStoreForWrite(tx, principal, params.memory_store_id);
    const memory = await requireMemory(tx, store.id, params.memory_id);
    checkContent(memory, query.expected_content_sha256, "expected_content_sha256");
    await removeMemory(tx, memory, apiActor(principal));
  });
}

function checkContent(
  { path, content_sha256 }: MemoryRow,
  expected: string | undefined,
  param: string,
): void {
  if (expected !== undefined && expected !== content_sha256) throw errors.memoryDiffers(path, param);
}

function unlessConflict(path: string, outcome: MemoryRow | MemoryConflict): MemoryRow {
  if (!("conflict" in outcome)) return outcome;
  if (outcome.conflict === "store_full") throw errors.memoryStoreFull();
  throw errors.memoryPathTaken(path, outcome.by);
}
