import type { Requirement } from "./requirement.ts";

export const vaultRequirements: readonly Requirement[] = [
  {
    id: "vault-crud",
    source: "api 4",
    rule: "Vaults are made with a display_name and metadata, listed newest first, read, changed, archived and deleted; an archived one can be read and not be changed.",
  },
  {
    id: "vault-in-use",
    source: "api 4",
    rule: "A vault that a session uses which is neither archived nor terminated cannot be deleted: 409.",
  },
  {
    id: "vault-credentials",
    source: "api 4",
    rule: "A vault holds up to 20 credentials: bearer tokens for MCP servers and secrets for environment variables; one for each server address and each variable name, another is 409.",
  },
  {
    id: "vault-secret",
    source: "api 4",
    rule: "The secret of a credential is in no answer.",
  },
  {
    id: "vault-credential-update",
    source: "api 4",
    rule: "A credential's secret, name, metadata and hosts can be changed; its type, server address and variable name cannot.",
  },
  {
    id: "vault-credential-end",
    source: "api 4",
    rule: "An archived credential can be read and not be changed, and its place is free for another; a deleted one is gone; archiving a vault archives what is in it.",
  },
  {
    id: "session-vaults",
    source: "seed 2.4",
    rule: "A session is created with up to 16 vaults, which it answers; unknown ones are 404, foreign ones 403, archived ones 409, one given twice 400.",
  },
  {
    id: "session-vault-resource",
    source: "seed 4.1",
    rule: "A vault may be among a new session's resources: it is then one of its vault_ids, and none of its resources. One that is given twice is 400.",
  },
];
