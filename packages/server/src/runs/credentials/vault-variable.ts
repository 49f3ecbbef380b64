import { inShapeOf, type SandboxCredential } from "@berth/egress";
import { openCredential } from "../../features/vault-credentials/credential-secret.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import type { VaultVariableRow } from "./credential-store.ts";
import { placeholderOf } from "./placeholder.ts";

export interface VaultVariable {
  name: string;
  /** What the variable holds in the sandbox. */
  inside: string;
  credential: SandboxCredential;
}

/** A secret of a vault, which goes to its hosts over TLS alone, wherever in a request it is wanted. */
export function openVaultVariable(secrets: SecretBox, seed: string, row: VaultVariableRow): VaultVariable {
  const placeholder = placeholderOf(seed, row.id);
  const value = openCredential(secrets, row.id, row.secret);
  const targets = row.hosts.map((host) => ({ host }));
  return {
    name: row.name,
    inside: inShapeOf(value, placeholder),
    credential: { placeholder, value, targets, anywhere: true },
  };
}
