/** What is open over the list, as the address has it. */
export type VaultsSearch = { create?: true };

export const VAULT_TABS = ["credentials", "api"] as const;
export type VaultTab = (typeof VAULT_TABS)[number];

/** What a vault's page shows, as the address has it. */
export type VaultSearch = {
  tab?: VaultTab;
  archived?: true;
  /** The form that is open: `new` for a new credential, `vault` for the vault itself, or the id of a credential. */
  form?: string;
};

export function readVaultsSearch({ create }: Record<string, unknown>): VaultsSearch {
  return create === true ? { create } : {};
}

/** Reads an address, in which anything may stand. */
export function readVaultSearch({ tab, archived, form }: Record<string, unknown>): VaultSearch {
  const known = VAULT_TABS.find((one) => one === tab);
  return {
    ...(known === undefined || known === "credentials" ? {} : { tab: known }),
    ...(archived === true ? { archived } : {}),
    ...(typeof form === "string" && /^(new|vault|vcred_\w+)$/.test(form) ? { form } : {}),
  };
}
