import { isDeepStrictEqual } from "node:util";
import type { Input, memoryStoreRoutes } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { patchMetadata } from "../../http/patch-metadata.ts";
import type { Principal } from "../../http/principal.ts";
import { getMemoryStore, type MemoryStoreRow, storeMemoryStore } from "./memory-store-store.ts";
import { reachToWrite } from "./reach-memory-store.ts";

type UpdateInput = Input<typeof memoryStoreRoutes.update>;

/** Changes a store; a change that makes no difference leaves `updated_at` alone. @throws errors.locked */
export async function updateMemoryStore(
  db: DatabaseAccess,
  principal: Principal,
  { params, body }: UpdateInput,
): Promise<MemoryStoreRow> {
  return await db.transaction(async (tx) => {
    const store = await reachToWrite(tx, principal, params.memory_store_id);
    const changed = {
      ...store,
      name: body.name ?? store.name,
      description: body.description === undefined ? store.description : body.description,
      metadata: patchMetadata(store.metadata, body.metadata),
    };
    if (isDeepStrictEqual(changed, store)) return store;
    await storeMemoryStore(tx, changed);
    const stored = await getMemoryStore(tx, store.id);
    if (stored === null) throw new Error("A memory store that was just changed is not there.");
    return stored;
  });
}
