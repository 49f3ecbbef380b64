import { parseId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { reached } from "../../http/reached.ts";
import { getVaults, lockVault, type VaultRow } from "./vault-store.ts";

/** A vault that the caller reaches. @throws errors.notFound, errors.notYours */
export async function reachVault(db: Queryable, principal: Principal, vaultId: string): Promise<VaultRow> {
  return await reached(principal, "vault", vaultId, async (id) => (await getVaults(db, [id]))[0] ?? null);
}

/** Vaults in the order of their ids as given, whoever they belong to. @throws errors.notFound */
export async function findVaults(
  vaultIds: readonly string[],
  read: (uuids: readonly string[]) => Promise<VaultRow[]>,
): Promise<VaultRow[]> {
  const uuids = vaultIds.map((id) => parseId("vault", id));
  const known = uuids.filter((id) => id !== null);
  const rows = known.length === 0 ? [] : await read(known);
  return vaultIds.map((id, index) => {
    const row = rows.find((candidate) => candidate.id === uuids[index]);
    if (row === undefined) throw errors.notFound("vault", id);
    return row;
  });
}

/** As `reachVault`, and the vault stays as it is until the transaction ends. */
export async function reachAndLockVault(
  tx: Queryable,
  principal: Principal,
  vaultId: string,
): Promise<VaultRow> {
  // Whose it is is looked at before the lock, so that nobody else's requests can hold up the owner's.
  const { id } = await reachVault(tx, principal, vaultId);
  const vault = await lockVault(tx, id);
  if (vault === null) throw errors.notFound("vault", vaultId);
  return vault;
}
