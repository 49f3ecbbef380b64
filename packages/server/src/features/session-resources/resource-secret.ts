import type { SecretBox } from "../../secrets/secret-box.ts";

/** Seals a repository's token for its row. */
export function sealToken(secrets: SecretBox, resourceId: string, token: string): Buffer {
  return secrets.seal({ table: "session_resources", row: resourceId, column: "secret" }, token);
}
