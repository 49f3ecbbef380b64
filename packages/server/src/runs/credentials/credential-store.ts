import type { Environment } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";

/** How a session's commands get its secrets, and the variables that its vaults hold. */
export interface CredentialSettings {
  /** Whether commands get repositories' secrets (`inject`) or placeholders for them (`proxy`). */
  mode: Environment["credentials"];
  /** The session's placeholders are derived from it. */
  seed: string;
  /** In the order of the session's vaults. */
  variables: readonly VaultVariable[];
}

/** An `environment_variable` credential, archived or not. */
export interface VaultVariable {
  /** uuid of the credential. */
  id: string;
  name: string;
  hosts: string[];
  /** Sealed; null once it is archived. */
  secret: Buffer | null;
  archivedAt: Date | null;
}

/** Returns null when the session does not exist. */
export async function readCredentialSettings(
  db: Queryable,
  sessionId: string,
): Promise<CredentialSettings | null> {
  type Row = Pick<CredentialSettings, "mode" | "seed"> & Omit<VaultVariable, "id"> & { id: string | null };
  const { rows } = await db.query<Row>({
    name: "credential_settings",
    text: `
      select environments.credentials as mode, sessions.placeholder_seed as seed, vault_credentials.id, target as name,
        allowed_hosts as hosts, secret, vault_credentials.archived_at as "archivedAt"
      from sessions join environments on environments.id = sessions.environment_id
      left join vault_credentials on vault_id = any(vault_ids) and type = 'environment_variable'
      where sessions.id = $1
      order by array_position(vault_ids, vault_id), vault_credentials.id`,
    values: [sessionId],
  });
  const [first] = rows;
  if (first === undefined) return null;
  const variables = rows.flatMap(({ id, name, hosts, secret, archivedAt }) =>
    id === null ? [] : [{ id, name, hosts, secret, archivedAt }],
  );
  return { mode: first.mode, seed: first.seed, variables };
}

/** Variables in plain text: those of the session's environment, and over them the session's own. */
export async function readPlainVariables(db: Queryable, sessionId: string): Promise<Record<string, string>> {
  const { rows } = await db.query<{ own: Record<string, string>; shared: Record<string, string> }>({
    name: "session_variables",
    text: `
      select sessions.environment_variables as own, environments.environment_variables as shared
      from sessions join environments on environments.id = sessions.environment_id
      where sessions.id = $1`,
    values: [sessionId],
  });
  return { ...rows[0]?.shared, ...rows[0]?.own };
}

/**
 * The sealed bearer token for an MCP server: that of the first of the session's vaults that has one for exactly this
 * url.
 */
export async function readMcpToken(
  db: Queryable,
  sessionId: string,
  url: string,
): Promise<{ id: string; secret: Buffer } | null> {
  const { rows } = await db.query<{ id: string; secret: Buffer }>({
    name: "mcp_token",
    text: `
      select vault_credentials.id, secret
      from sessions join vault_credentials on vault_id = any(vault_ids)
      where sessions.id = $1 and type = 'static_bearer' and target = $2 and vault_credentials.archived_at is null
      order by array_position(vault_ids, vault_id) limit 1`,
    values: [sessionId, url],
  });
  return rows[0] ?? null;
}
