import { parseId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { reachVault } from "../vaults/reach-vault.ts";
import { type CredentialRow, getCredential, lockCredential } from "./credential-store.ts";

interface Params {
  vault_id: string;
  credential_id: string;
}

/** A credential of a vault that the caller reaches. @throws errors.notFound, errors.notYours */
export async function reachCredential(
  db: Queryable,
  principal: Principal,
  params: Params,
): Promise<CredentialRow> {
  return await reached(db, principal, params, (vault, id) => getCredential(db, vault, id));
}

/** As `reachCredential`, and the credential stays as it is until the transaction ends. */
export async function reachAndLockCredential(
  tx: Queryable,
  principal: Principal,
  params: Params,
): Promise<CredentialRow> {
  return await reached(tx, principal, params, (vault, id) => lockCredential(tx, vault, id));
}

async function reached(
  db: Queryable,
  principal: Principal,
  params: Params,
  read: (vaultId: string, id: string) => Promise<CredentialRow | null>,
): Promise<CredentialRow> {
  const vault = await reachVault(db, principal, params.vault_id);
  const id = parseId("vault_credential", params.credential_id);
  const row = id === null ? null : await read(vault.id, id);
  if (row === null) throw errors.notFound("credential", params.credential_id);
  return row;
}
