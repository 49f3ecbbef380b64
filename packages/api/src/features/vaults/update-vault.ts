import { isDeepStrictEqual } from "node:util";
import type { Input, vaultRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { patchMetadata } from "../../request/patch-metadata.ts";
import { requireVaultForUpdate, updateVaultRow, type VaultRow } from "./vault-store.ts";

/** Updates a vault. An update that changes nothing leaves `updated_at` as it is. @throws errors.locked */
export async function updateVault(
  db: DatabaseAccess,
  principal: Principal,
  { params, body }: Input<typeof vaultRoutes.update>,
): Promise<VaultRow> {
  return await db.transaction(async (tx) => {
    const vault = await requireVaultForUpdate(tx, principal, params.vault_id);
    if (vault.archived_at !== null) throw errors.locked("vault", params.vault_id);
    const changed = {
      ...vault,
      display_name: body.display_name ?? vault.display_name,
      metadata: patchMetadata(vault.metadata, body.metadata),
    };
    return isDeepStrictEqual(changed, vault) ? vault : await updateVaultRow(tx, changed);
  });
}
