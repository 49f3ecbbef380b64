import { formatId, uuidTimestamp, type Vault } from "@berth/contract";
import {
  type OwnedRow,
  ownedFields,
  ownedList,
  requireAccess,
  requireAccessForUpdate,
  SHARED_COLUMNS,
} from "@berth/store/access";
import type { Queryable } from "@berth/store/db";

export interface VaultRow extends OwnedRow {
  display_name: string;
  metadata: Record<string, string>;
}

const COLUMNS = `id, ${SHARED_COLUMNS}, display_name, metadata, archived_at, updated_at`;

export async function insertVault(
  db: Queryable,
  vault: Omit<VaultRow, "archived_at" | "updated_at">,
): Promise<VaultRow> {
  const updatedAt = uuidTimestamp(vault.id);
  await db.query({
    name: "insert_vault",
    text: `insert into vaults (id, organization_id, owner_type, owner_id, display_name, metadata, updated_at, organization_access)
      values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      vault.id,
      vault.organization_id,
      vault.owner_type,
      vault.owner_id,
      vault.display_name,
      vault.metadata,
      updatedAt,
      vault.organization_access,
    ],
  });
  return { ...vault, archived_at: null, updated_at: new Date(updatedAt) };
}

/** Returns the vaults that exist, in no particular order. */
export async function getVaults(db: Queryable, ids: readonly string[]): Promise<VaultRow[]> {
  const text = `select ${COLUMNS} from vaults where id = any($1::uuid[])`;
  return (await db.query<VaultRow>({ name: "get_vaults", text, values: [ids] })).rows;
}

/** Returns the same as `getVaults`, and prevents archiving and deletion until the transaction ends. */
export async function lockVaults(tx: Queryable, ids: readonly string[]): Promise<VaultRow[]> {
  const text = `select ${COLUMNS} from vaults where id = any($1::uuid[]) order by id for share`;
  return (await tx.query<VaultRow>({ name: "lock_vaults", text, values: [ids] })).rows;
}

async function getVault(db: Queryable, id: string): Promise<VaultRow | null> {
  return (await getVaults(db, [id]))[0] ?? null;
}

/** Locks a vault with its credentials until the transaction ends. Waits for sessions being created. */
async function lockVault(tx: Queryable, id: string): Promise<VaultRow | null> {
  const text = `select ${COLUMNS} from vaults where id = $1 for update`;
  return (await tx.query<VaultRow>({ name: "lock_vault", text, values: [id] })).rows[0] ?? null;
}

/** @throws errors.notFound, errors.notYours */
export const requireVault = requireAccess("vault", getVault);

/** Returns the same as `requireVault`, and locks the vault until the transaction ends. */
export const requireVaultForUpdate = requireAccessForUpdate("vault", getVault, lockVault);

/** Stores the fields of a locked vault that an update may change. */
export async function updateVaultRow(tx: Queryable, vault: VaultRow): Promise<VaultRow> {
  const { rows } = await tx.query<VaultRow>({
    name: "store_vault",
    text: `update vaults set display_name = $2, metadata = $3, updated_at = now() where id = $1
      returning ${COLUMNS}`,
    values: [vault.id, vault.display_name, vault.metadata],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("A vault is missing although its row is locked.");
  return row;
}

/** Archives a vault and its credentials, and deletes the secrets, unless it is archived already. */
export async function archiveVault(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "archive_vault",
    text: `
      with vault as (
        update vaults set archived_at = now(), updated_at = now() where id = $1 and archived_at is null returning id
      )
      update vault_credentials set archived_at = now(), updated_at = now(), secret = null
      from vault where vault_id = vault.id and vault_credentials.archived_at is null`,
    values: [id],
  });
}

/** Deletes a locked vault with its credentials. Returns false while an active session has it. */
export async function deleteUnusedVault(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "delete_vault",
    text: `
      delete from vaults where id = $1 and not exists (
        select from sessions
        where vault_ids @> array[$1::uuid] and vault_ids <> '{}' and terminated_at is null and archived_at is null
      )`,
    values: [id],
  });
  return rowCount === 1;
}

export const listVaults = ownedList<VaultRow>("vault", "vaults", COLUMNS);

export function toVault(row: VaultRow): Vault {
  return {
    id: formatId("vault", row.id),
    type: "vault",
    display_name: row.display_name,
    metadata: row.metadata,
    ...ownedFields(row),
  };
}
