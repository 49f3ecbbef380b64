import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { deleteUnusedVault, requireVaultForUpdate } from "./vault-store.ts";

/** Deletes a vault and its credentials. @throws errors.inUse while an active session has it. */
export async function deleteVault(db: DatabaseAccess, principal: Principal, vaultId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const { id } = await requireVaultForUpdate(tx, principal, vaultId);
    if (await deleteUnusedVault(tx, id)) return;
    throw errors.inUse("vault", vaultId, "sessions that are neither archived nor terminated");
  });
}
