/** The open dialog, as search parameters. */
export type VaultsSearch = { create?: true };

export const VAULT_TABS = ["credentials", "api"] as const;
export type VaultTab = (typeof VAULT_TABS)[number];

/** The state of a vault's page, as search parameters. */
export type VaultSearch = {
  tab?: VaultTab;
  archived?: true;
  /** The open form: `new` for a new credential, `vault` for the vault, or the id of a credential. */
  form?: string;
};

export function readVaultsSearch({ create }: Record<string, unknown>): VaultsSearch {
  return create === true ? { create } : {};
}

/** Reads search parameters, which may hold anything. */
export function readVaultSearch({ tab, archived, form }: Record<string, unknown>): VaultSearch {
  const known = VAULT_TABS.find((one) => one === tab);
  return {
    ...(known === undefined || known === "credentials" ? {} : { tab: known }),
    ...(archived === true ? { archived } : {}),
    ...(typeof form === "string" && /^(new|vault|vcred_\w+)$/.test(form) ? { form } : {}),
  };
}
