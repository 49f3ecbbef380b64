import {
  formatId,
  MAX_VAULT_CREDENTIALS,
  parseId,
  uuidTimestamp,
  type VaultCredential,
} from "@berth/contract";
import { type ArchivedFilter, type Principal, requireFound, unlessArchived } from "@berth/store/access";
import { isUniqueViolation, type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";
import { requireVault } from "../vaults/vault-store.ts";

export interface CredentialRow {
  id: string;
  vault_id: string;
  type: VaultCredential["auth"]["type"];
  display_name: string | null;
  /** The `mcp_server_url` or the `secret_name`. */
  target: string;
  /** Hosts of an `environment_variable`; empty for other types. */
  allowed_hosts: string[];
  metadata: Record<string, string>;
  archived_at: Date | null;
  updated_at: Date;
}

/** A credential to store. `secret` is a sealed envelope. */
export type NewCredential = Omit<CredentialRow, "archived_at" | "updated_at"> & { secret: Buffer };

const columns = "id, vault_id, type, display_name, target, allowed_hosts, metadata, archived_at, updated_at";

/** Stores a credential in a locked vault. Returns "full" or "taken", and stores nothing, when it cannot. */
export async function insertCredential(
  tx: Queryable,
  credential: NewCredential,
): Promise<CredentialRow | "full" | "taken"> {
  const updatedAt = uuidTimestamp(credential.id);
  try {
    const { rowCount } = await tx.query({
      name: "insert_vault_credential",
      text: `
        insert into vault_credentials
          (id, vault_id, type, display_name, target, allowed_hosts, metadata, secret, updated_at)
        select $1, $2, $3, $4, $5, $6, $7, $8, $9
        where (select count(*) from vault_credentials where vault_id = $2 and archived_at is null) < $10`,
      values: [
        credential.id,
        credential.vault_id,
        credential.type,
        credential.display_name,
        credential.target,
        credential.allowed_hosts,
        credential.metadata,
        credential.secret,
        updatedAt,
        MAX_VAULT_CREDENTIALS,
      ],
    });
    if (rowCount !== 1) return "full";
  } catch (error) {
    if (isUniqueViolation(error, "vault_credentials_by_target")) return "taken";
    throw error;
  }
  const { secret: _secret, ...row } = credential;
  return { ...row, archived_at: null, updated_at: new Date(updatedAt) };
}

/** Counts a vault's variables without one of them, and the bytes of their sealed values. */
export async function sealedVariables(
  tx: Queryable,
  vaultId: string,
  except: string,
): Promise<{ count: number; bytes: number }> {
  const { rows } = await tx.query<{ count: number; bytes: number }>({
    name: "vault_variable_bytes",
    text: `select count(*)::int as count, coalesce(sum(octet_length(secret)), 0)::int as bytes
      from vault_credentials
      where vault_id = $1 and type = 'environment_variable' and archived_at is null and id <> $2`,
    values: [vaultId, except],
  });
  return rows[0] ?? { count: 0, bytes: 0 };
}

async function getCredential(db: Queryable, vaultId: string, id: string): Promise<CredentialRow | null> {
  const text = `select ${columns} from vault_credentials where vault_id = $1 and id = $2`;
  const values = [vaultId, id];
  return (await db.query<CredentialRow>({ name: "get_vault_credential", text, values })).rows[0] ?? null;
}

/** Returns the same as `getCredential`, and locks the credential until the transaction ends. */
async function lockCredential(tx: Queryable, vaultId: string, id: string): Promise<CredentialRow | null> {
  const text = `select ${columns} from vault_credentials where vault_id = $1 and id = $2 for no key update`;
  const values = [vaultId, id];
  return (await tx.query<CredentialRow>({ name: "lock_vault_credential", text, values })).rows[0] ?? null;
}

interface CredentialPath {
  vault_id: string;
  credential_id: string;
}

/** Returns a credential of a vault that the principal can access. @throws errors.notFound, errors.notYours */
export const requireCredential = requiredBy(getCredential);

/** Returns the same as `requireCredential`, and locks the credential until the transaction ends. */
export const requireCredentialForUpdate = requiredBy(lockCredential);

function requiredBy(read: typeof getCredential) {
  return async (db: Queryable, principal: Principal, path: CredentialPath): Promise<CredentialRow> => {
    const vault = await requireVault(db, principal, path.vault_id);
    const id = parseId("vault_credential", path.credential_id);
    const row = id === null ? null : await read(db, vault.id, id);
    return requireFound("vault_credential", path.credential_id, row);
  };
}

/** Stores the mutable fields of a locked credential. A null `secret` keeps the stored one. */
export async function updateCredentialRow(
  tx: Queryable,
  credential: CredentialRow,
  secret: Buffer | null,
): Promise<CredentialRow> {
  const { rows } = await tx.query<CredentialRow>({
    name: "store_vault_credential",
    text: `update vault_credentials set display_name = $2, metadata = $3, allowed_hosts = $4,
      secret = coalesce($5, secret), updated_at = now() where id = $1 returning ${columns}`,
    values: [credential.id, credential.display_name, credential.metadata, credential.allowed_hosts, secret],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("A credential is missing although its row is locked.");
  return row;
}

/** Archives a credential and deletes its secret. Does nothing if it is archived already. */
export async function archiveCredential(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "archive_vault_credential",
    text: `update vault_credentials set archived_at = now(), updated_at = now(), secret = null
      where id = $1 and archived_at is null`,
    values: [id],
  });
}

export async function deleteCredential(db: Queryable, id: string): Promise<void> {
  const text = "delete from vault_credentials where id = $1";
  await db.query({ name: "delete_vault_credential", text, values: [id] });
}

export async function listCredentials(
  db: Queryable,
  vaultId: string,
  range: KeysetRange,
  filter: ArchivedFilter,
): Promise<CredentialRow[]> {
  const listing = { table: "vault_credentials", columns, conditions: unlessArchived(filter) };
  return await selectKeyset<CredentialRow>(db, range, listing, [{ column: "vault_id", value: vaultId }]);
}

export function toVaultCredential(row: CredentialRow): VaultCredential {
  return {
    id: formatId("vault_credential", row.id),
    type: "vault_credential",
    vault_id: formatId("vault", row.vault_id),
    display_name: row.display_name,
    metadata: row.metadata,
    auth:
      row.type === "static_bearer"
        ? { type: row.type, mcp_server_url: row.target }
        : { type: row.type, secret_name: row.target, networking: { allowed_hosts: row.allowed_hosts } },
    archived_at: row.archived_at?.toISOString() ?? null,
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}
