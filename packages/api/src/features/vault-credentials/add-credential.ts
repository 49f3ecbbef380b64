import { type Input, MAX_VAULT_CREDENTIALS, newUuid, type vaultCredentialRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { credentialSecret, type SecretBox } from "@berth/store/secrets";
import { requireVaultForUpdate } from "../vaults/vault-store.ts";
import { type CredentialRow, insertCredential, type NewCredential } from "./credential-store.ts";
import { requireRoom } from "./require-room.ts";

type AddInput = Input<typeof vaultCredentialRoutes.create>;

/**
 * Adds a credential to a vault, with its secret sealed.
 *
 * @throws errors.locked, errors.credentialTaken, errors.vaultFull, errors.invalid
 */
export async function addCredential(
  db: DatabaseAccess,
  secrets: SecretBox,
  principal: Principal,
  { params, body }: AddInput,
): Promise<CredentialRow> {
  return await db.transaction(async (tx) => {
    const vault = await requireVaultForUpdate(tx, principal, params.vault_id);
    if (vault.archived_at !== null) throw errors.locked("vault", params.vault_id);
    const credential = newCredential(secrets, vault.id, body);
    const { auth } = body;
    if (auth.type === "environment_variable")
      await requireRoom(tx, vault.id, { id: credential.id, value: auth.secret_value });
    const stored = await insertCredential(tx, credential);
    if (stored === "full") throw errors.vaultFull(params.vault_id, MAX_VAULT_CREDENTIALS);
    if (stored === "taken") throw errors.credentialTaken(targetParam(body));
    return stored;
  });
}

function newCredential(secrets: SecretBox, vaultId: string, body: AddInput["body"]): NewCredential {
  const { auth } = body;
  const id = newUuid();
  const bearer = auth.type === "static_bearer";
  return {
    id,
    vault_id: vaultId,
    type: auth.type,
    display_name: body.display_name ?? null,
    metadata: body.metadata ?? {},
    target: bearer ? auth.mcp_server_url : auth.secret_name,
    allowed_hosts: bearer ? [] : lowerCase(auth.networking.allowed_hosts),
    secret: secrets.seal(credentialSecret(id), bearer ? auth.token : auth.secret_value),
  };
}

/** Converts hosts to lower case, in which they are stored and compared. */
export function lowerCase(hosts: readonly string[]): string[] {
  return hosts.map((host) => host.toLowerCase());
}

function targetParam({ auth }: AddInput["body"]): string {
  return auth.type === "static_bearer" ? "auth.mcp_server_url" : "auth.secret_name";
}
