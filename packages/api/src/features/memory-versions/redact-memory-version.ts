import type { Input, memoryVersionRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { apiActor, requireMemoryStoreForWrite } from "@berth/store/memories";
import { clearContent, type MemoryVersionWithContent, requireMemoryVersion } from "./memory-version-store.ts";

/**
 * Removes a version's content forever. Does nothing if it is redacted already.
 *
 * @throws errors.locked, errors.memoryVersionIsNewest
 */
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
