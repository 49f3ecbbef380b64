import type { SecretBox } from "../../secrets/secret-box.ts";

/** Seals a repository's token or password for its row. */
export function sealSecret(secrets: SecretBox, resourceId: string, secret: string): Buffer {
  return secrets.seal({ table: "session_resources", row: resourceId, column: "secret" }, secret);
}
