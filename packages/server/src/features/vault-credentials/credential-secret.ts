import type { SecretBox } from "../../secrets/secret-box.ts";

const place = (row: string) => ({ table: "vault_credentials", row, column: "secret" });

/** Seals a credential's secret for its row. */
export function sealCredential(secrets: SecretBox, credentialId: string, secret: string): Buffer {
  return secrets.seal(place(credentialId), secret);
}

/** @throws as `SecretBox.open`. */
export function openCredential(secrets: SecretBox, credentialId: string, envelope: Buffer): string {
  return secrets.open(place(credentialId), envelope);
}
