import type { Queryable } from "../../db/statement.ts";
import { openCredential } from "../../features/vault-credentials/credential-secret.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";

export interface McpTokenParts {
  db: { read: Queryable };
  secrets: SecretBox;
}

/**
 * The bearer token that the session's vaults hold for a server: of the first vault that has one for just this url. Null: none
 * does, or it was archived. Read anew each time, so that a new token is seen by the next request.
 */
export async function mcpToken(
  { db, secrets }: McpTokenParts,
  sessionId: string,
  url: string,
): Promise<string | null> {
  const { rows } = await db.read.query<{ id: string; secret: Buffer }>({
    name: "mcp_token",
    text: `
      select vault_credentials.id, secret
      from sessions join vault_credentials on vault_id = any(vault_ids)
      where sessions.id = $1 and type = 'static_bearer' and target = $2 and vault_credentials.archived_at is null
      order by array_position(vault_ids, vault_id) limit 1`,
    values: [sessionId, url],
  });
  const [row] = rows;
  return row === undefined ? null : openCredential(secrets, row.id, row.secret);
}
