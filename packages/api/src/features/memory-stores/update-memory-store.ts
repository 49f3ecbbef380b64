import { isDeepStrictEqual } from "node:util";
import type { Input, memoryStoreRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import {
  getMemoryStore,
  type MemoryStoreRow,
  requireMemoryStoreForWrite,
  updateMemoryStoreRow,
} from "@berth/store/memories";
import { patchMetadata } from "../../request/patch-metadata.ts";

type UpdateInput = Input<typeof memoryStoreRoutes.update>;

/** Updates a store. An update that changes nothing leaves `updated_at` as it is. @throws errors.locked */
export async function updateMemoryStore(
  db: DatabaseAccess,
  principal: Principal,
  { params, body }: UpdateInput,
): Promise<MemoryStoreRow> {
  return await db.transaction(async (tx) => {
    const store = await requireMemoryStoreForWrite(tx, principal, params.memory_store_id);
    const changed = {
      ...store,
      name: body.name ?? store.name,
      description: body.description === undefined ? store.description : body.description,
      metadata: patchMetadata(store.metadata, body.metadata),
    };
    if (isDeepStrictEqual(changed, store)) return store;
    await updateMemoryStoreRow(tx, changed);
    const stored = await getMemoryStore(tx, store.id);
    if (stored === null) throw new Error("A memory store is missing after its update.");
    return stored;
  });
}
