import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { deleteUnusedMemoryStore, requireMemoryStoreForDelete } from "@berth/store/memories";

/** Deletes a store with its memories. @throws errors.inUse while an active session mounts it. */
export async function deleteMemoryStore(
  db: DatabaseAccess,
  principal: Principal,
  storeId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id } = await requireMemoryStoreForDelete(tx, principal, storeId);
    if (await deleteUnusedMemoryStore(tx, id)) return;
    throw errors.inUse("memory store", storeId, "sessions that are neither terminated nor archived");
  });
}
