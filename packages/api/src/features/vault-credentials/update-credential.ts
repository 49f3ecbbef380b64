import { isDeepStrictEqual } from "node:util";
import type { Input, vaultCredentialRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { credentialSecret, type SecretBox } from "@berth/store/secrets";
import { patchMetadata } from "../../request/patch-metadata.ts";
import { requireVaultForUpdate } from "../vaults/vault-store.ts";
import { lowerCase } from "./add-credential.ts";
import { type CredentialRow, requireCredentialForUpdate, updateCredentialRow } from "./credential-store.ts";
import { requireRoom } from "./require-room.ts";

type Body = Input<typeof vaultCredentialRoutes.update>["body"];

/**
 * Updates a credential, or rotates its secret. An update that changes nothing leaves `updated_at` as it is; a
 * given secret always counts as a change.
 *
 * @throws errors.locked, errors.invalid for another type, or a value for which the vault has no space.
 */
export async function updateCredential(
  db: DatabaseAccess,
  secrets: SecretBox,
  principal: Principal,
  { params, body }: Input<typeof vaultCredentialRoutes.update>,
): Promise<CredentialRow> {
  return await db.transaction(async (tx) => {
    const vault = await requireVaultForUpdate(tx, principal, params.vault_id);
    const credential = await requireCredentialForUpdate(tx, principal, params);
    if (body.auth !== undefined && body.auth.type !== credential.type) {
      throw errors.invalid(`Field 'auth.type' must be '${credential.type}'.`, "auth.type");
    }
    if (credential.archived_at !== null) throw errors.locked("credential", params.credential_id);
    const changed = changeCredential(credential, body);
    const secret = secretOf(body);
    if (secret === undefined && isDeepStrictEqual(changed, credential)) return credential;
    if (secret !== undefined && credential.type === "environment_variable")
      await requireRoom(tx, vault.id, { id: credential.id, value: secret });
    const sealed = secret === undefined ? null : secrets.seal(credentialSecret(credential.id), secret);
    return await updateCredentialRow(tx, changed, sealed);
  });
}

function changeCredential(credential: CredentialRow, body: Body): CredentialRow {
  const { display_name: name, auth } = body;
  const hosts = auth?.type === "environment_variable" ? auth.networking?.allowed_hosts : undefined;
  return {
    ...credential,
    display_name: name === undefined ? credential.display_name : name,
    metadata: patchMetadata(credential.metadata, body.metadata),
    allowed_hosts: hosts === undefined ? credential.allowed_hosts : lowerCase(hosts),
  };
}

function secretOf({ auth }: Body): string | undefined {
  return auth?.type === "static_bearer" ? auth.token : auth?.secret_value;
}
