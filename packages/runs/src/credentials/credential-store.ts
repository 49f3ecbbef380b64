import type { Environment } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import {
  isRepository,
  type JsonResource,
  RESOURCES_AS_JSON,
  type RunRepository,
  resourcesFromJson,
} from "../inputs/resource-store.ts";

/** How a session's commands get its secrets, and the variables that its vaults hold. */
export interface CredentialSettings {
  /** Whether commands get repositories' secrets (`inject`) or placeholders for them (`proxy`). */
  mode: Environment["credentials"];
  /** The seed from which the session's placeholders are derived. */
  seed: string;
  /** Variables in the order of the session's vaults. */
  variables: readonly VaultVariable[];
}

/** An `environment_variable` credential, archived or not. */
export interface VaultVariable {
  /** uuid of the credential. */
  id: string;
  name: string;
  hosts: string[];
  /** The sealed secret; null once the credential is archived. */
  secret: Buffer | null;
  archivedAt: Date | null;
}

/** All sources of a session's secrets and variables, at one moment. */
export interface CredentialSources {
  /** Variables in plain text: those of the session's environment, overridden by the session's own. */
  plain: Record<string, string>;
  settings: CredentialSettings;
  repositories: readonly RunRepository[];
}

interface SourcesRow extends Pick<CredentialSettings, "mode" | "seed"> {
  own: Record<string, string>;
  shared: Record<string, string>;
  variables: (Omit<VaultVariable, "secret" | "archivedAt"> & {
    secret: string | null;
    archivedAt: string | null;
  })[];
  resources: JsonResource[];
}

/** Reads the sources in one statement, for each command. Returns null when the session does not exist. */
export async function readCredentialSources(
  db: Queryable,
  sessionId: string,
): Promise<CredentialSources | null> {
  const { rows } = await db.query<SourcesRow>({
    name: "credential_sources",
    text: `
      select environments.credentials as mode, sessions.placeholder_seed as seed,
        sessions.environment_variables as own, environments.environment_variables as shared,
        (
          select coalesce(json_agg(json_build_object(
            'id', id, 'name', target, 'hosts', allowed_hosts, 'secret', encode(secret, 'base64'), 'archivedAt', archived_at
          ) order by array_position(vault_ids, vault_id), id), '[]')
          from vault_credentials where vault_id = any(vault_ids) and type = 'environment_variable'
        ) as variables,
        ${RESOURCES_AS_JSON} as resources
      from sessions join environments on environments.id = sessions.environment_id
      where sessions.id = $1`,
    values: [sessionId],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const { mode, seed, own, shared, resources } = row;
  const variables = row.variables.map(({ secret, archivedAt, ...variable }) => ({
    ...variable,
    secret: secret === null ? null : Buffer.from(secret, "base64"),
    archivedAt: archivedAt === null ? null : new Date(archivedAt),
  }));
  return {
    plain: { ...shared, ...own },
    settings: { mode, seed, variables },
    repositories: resourcesFromJson(resources).filter(isRepository),
  };
}

/**
 * Returns the sealed bearer token for an MCP server, from the first of the session's vaults that has one for
 * exactly this URL. Returns null when none has.
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
