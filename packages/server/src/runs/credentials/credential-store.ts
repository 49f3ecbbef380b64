import type { Environment } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";

/** Where a session's secrets are now, and what its placeholders come from. */
export interface Keeping {
  mode: Environment["credentials"];
  seed: string;
}

/** An `environment_variable` of one of the session's vaults. */
export interface VaultVariableRow {
  /** Of the credential. */
  id: string;
  name: string;
  hosts: string[];
  /** Sealed. */
  secret: Buffer;
}

/** Null for a session that is not there. */
export async function readKeeping(
  db: Queryable,
  sessionId: string,
): Promise<(Keeping & { hasVaults: boolean }) | null> {
  const { rows } = await db.query<Keeping & { hasVaults: boolean }>({
    name: "session_keeping",
    text: `
      select environments.credentials as mode, sessions.placeholder_seed as seed, vault_ids <> '{}' as "hasVaults"
      from sessions join environments on environments.id = sessions.environment_id
      where sessions.id = $1`,
    values: [sessionId],
  });
  return rows[0] ?? null;
}

/** One for each name: that of the first vault that has it. Archived ones are none. */
export async function readVaultVariables(db: Queryable, sessionId: string): Promise<VaultVariableRow[]> {
  const { rows } = await db.query<VaultVariableRow>({
    name: "session_vault_variables",
    text: `
      select distinct on (target) vault_credentials.id, target as name, allowed_hosts as hosts, secret
      from sessions join vault_credentials on vault_id = any(vault_ids)
      where sessions.id = $1 and type = 'environment_variable' and vault_credentials.archived_at is null
      order by target, array_position(vault_ids, vault_id)`,
    values: [sessionId],
  });
  return rows;
}
