import type { SecretBox } from "../secrets/secret-box.ts";
import type { RunRepository } from "./resource-store.ts";

/** The token of a repository; null for one without. */
export function repositoryToken(secrets: SecretBox, { id, secret }: RunRepository): string | null {
  if (secret === null) return null;
  return secrets.open({ table: "session_resources", row: id, column: "secret" }, secret);
}
