import { formatId, MAX_VAULT_CREDENTIALS, uuidTimestamp, type VaultCredential } from "@berth/contract";
import { isUniqueViolation } from "../../db/database-error.ts";
import { type KeysetPlace, selectKeyset, unlessArchived } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";

export interface CredentialRow {
  id: string;
  vault_id: string;
  type: VaultCredential["auth"]["type"];
  display_name: string | null;
  /** The `mcp_server_url` or the `secret_name`. */
  target: string;
  /** Of an `environment_variable`. */
  allowed_hosts: string[];
  metadata: Record<string, string>;
  archived_at: Date | null;
  updated_at: Date;
}

/** `secret` is an envelope. */
export type NewCredential = Omit<CredentialRow, "archived_at" | "updated_at"> & { secret: Buffer };

const columns = "id, vault_id, type, display_name, target, allowed_hosts, metadata, archived_at, updated_at";

/** Stores a credential in its vault, which is locked. Answers why not, where it cannot. */
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

export async function getCredential(
  db: Queryable,
  vaultId: string,
  id: string,
): Promise<CredentialRow | null> {
  const text = `select ${columns} from vault_credentials where vault_id = $1 and id = $2`;
  const values = [vaultId, id];
  return (await db.query<CredentialRow>({ name: "get_vault_credential", text, values })).rows[0] ?? null;
}

/** The same, and the credential stays as it is until the transaction ends. */
export async function lockCredential(
  tx: Queryable,
  vaultId: string,
  id: string,
): Promise<CredentialRow | null> {
  const text = `select ${columns} from vault_credentials where vault_id = $1 and id = $2 for no key update`;
  const values = [vaultId, id];
  return (await tx.query<CredentialRow>({ name: "lock_vault_credential", text, values })).rows[0] ?? null;
}

/** Stores what a change may touch of a credential, which is locked; `secret` null leaves the secret as it is. */
export async function storeCredential(
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
  if (row === undefined) throw new Error("A credential vanished while it was locked.");
  return row;
}

/** Archives a credential and destroys its secret. Archiving again changes nothing. */
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
  place: KeysetPlace,
  filters: { archived: boolean },
): Promise<CredentialRow[]> {
  const conditions = unlessArchived(filters);
  const listed = { table: "vault_credentials", columns, conditions };
  return await selectKeyset<CredentialRow>(db, place, listed, [{ column: "vault_id", value: vaultId }]);
}

/** The credential as the API answers it. */
export function credentialAnswer(row: CredentialRow): VaultCredential {
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
