import type { Owner } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { lockLimit, type OwnerLimits, overLimit } from "@berth/store/limits";
import { fileBytes } from "./file-bytes-store.ts";

/**
 * Checks, in the transaction that stores a file, that its owner has space for it.
 *
 * @param bytes that are added to the owner's files.
 * @throws errors.overLimit
 */
export async function requireFileBytes(
  tx: Queryable,
  limits: OwnerLimits,
  { organization_id: organizationId, owner_type: kind, owner_id: id }: Owner,
  bytes: number,
): Promise<void> {
  for (const limit of await limits.of({ organizationId, kind, id }, "file_bytes")) {
    if (await limits.isFarFrom(limit, "file_bytes", bytes, () => fileBytes(tx, limit))) continue;
    await lockLimit(tx, limit.id, "file_bytes");
    if ((await fileBytes(tx, limit)) + bytes > limit.value) throw overLimit(limit, "file_bytes");
  }
}
