import type { Input, memoryVersionRoutes } from "@berth/contract";
import type { Principal } from "../../access/principal.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { errors } from "../../errors/catalogue.ts";
import { apiActor } from "../memories/memory-change-store.ts";
import { requireMemoryStoreForWrite } from "../memory-stores/memory-store-store.ts";
import { clearContent, type MemoryVersionWithContent, requireMemoryVersion } from "./memory-version-store.ts";

/** Removes a version's content for good. Does nothing if it is redacted already. @throws errors.locked, errors.memoryVersionIsNewest */
export async function redactMemoryVersion(
  db: DatabaseAccess,
  principal: Principal,
  { params }: Input<typeof memoryVersionRoutes.redact>,
): Promise<MemoryVersionWithContent> {
  return await db.transaction(async (tx) => {
    const store = await requireMemoryStoreForWrite(tx, principal, params.memory_store_id);
    const version = await requireMemoryVersion(tx, store.id, params.memory_version_id);
    if (version.redacted_at !== null) return version;
    if (!(await clearContent(tx, version.id, apiActor(principal)))) {
      throw errors.memoryVersionIsNewest(params.memory_version_id);
    }
    return await requireMemoryVersion(tx, store.id, params.memory_version_id);
  });
}
