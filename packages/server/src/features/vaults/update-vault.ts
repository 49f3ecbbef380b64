import { isDeepStrictEqual } from "node:util";
import type { Input, vaultRoutes } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { errors } from "../../http/errors.ts";
import { patchMetadata } from "../../http/patch-metadata.ts";
import type { Principal } from "../../http/principal.ts";
import { reachAndLockVault } from "./reach-vault.ts";
import { storeVault, type VaultRow } from "./vault-store.ts";

/** Changes a vault; a change that makes no difference leaves `updated_at` alone. @throws errors.locked */
export async function updateVault(
  db: DatabaseAccess,
  principal: Principal,
  { params, body }: Input<typeof vaultRoutes.update>,
): Promise<VaultRow> {
  return await db.transaction(async (tx) => {
    const vault = await reachAndLockVault(tx, principal, params.vault_id);
    if (vault.archived_at !== null) throw errors.locked("vault", params.vault_id);
    const changed = {
      ...vault,
      display_name: body.display_name ?? vault.display_name,
      metadata: patchMetadata(vault.metadata, body.metadata),
    };
    return isDeepStrictEqual(changed, vault) ? vault : await storeVault(tx, changed);
  });
}
