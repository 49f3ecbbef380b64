import type { Requirement } from "./requirement.ts";

export const vaultRequirements: readonly Requirement[] = [
  {
    id: "vault-crud",
    source: "api 4",
    rule: "Vaults have a display_name and metadata and can be listed newest first, read, changed, archived and deleted; an archived vault can be read and not changed.",
  },
  {
    id: "vault-in-use",
    source: "api 4",
    rule: "A vault of a session that is neither archived nor terminated cannot be deleted: 409.",
  },
  {
    id: "vault-credentials",
    source: "api 4",
    rule: "A vault holds up to 20 credentials: bearer tokens for MCP servers and secrets for environment variables; a second one for the same server address or variable name is rejected with 409.",
  },
  {
    id: "vault-secret",
    source: "api 4",
    rule: "No response contains the secret of a credential.",
  },
  {
    id: "vault-credential-update",
    source: "api 4",
    rule: "A credential's secret, name, metadata and hosts can be changed; its type, server address and variable name cannot.",
  },
  {
    id: "vault-credential-end",
    source: "api 4",
    rule: "An archived credential can be read and not changed, and its server address or variable name can be used again; a deleted one is gone; archiving a vault archives its credentials.",
  },
  {
    id: "session-vaults",
    source: "seed 2.4",
    rule: "A session is created with up to 16 vaults and returns their ids; an unknown vault is rejected with 404, an inaccessible one with 403, an archived one with 409, and a repeated one with 400.",
  },
  {
    id: "session-vault-resource",
    source: "seed 4.1",
    rule: "A vault may be given among a new session's resources: it is then listed in vault_ids and not in the resources. A repeated vault is rejected with 400.",
  },
];
