import type { Vault } from "@berth/sdk";
import { berth } from "../../api/client.ts";
import type { Ending } from "../../shell/ask-to-end.tsx";
import { ObjectActions } from "../../shell/object-actions.tsx";
import { CredentialDialog } from "./credential-dialog.tsx";
import { useVaultSearch } from "./use-vault-search.ts";
import { VaultDialog } from "./vault-dialog.tsx";

const ENDING: Ending = {
  noun: "vault",
  queryKey: "vaults",
  list: "/vaults",
  calls: berth.vaults,
  means: {
    archive:
      "Its secrets are destroyed, and sessions lose them from their next call on. This cannot be undone.",
    delete: "The vault and its credentials are deleted. This cannot be undone.",
  },
  archiveDestroys: true,
};

/** Offers the actions of a vault. */
export function VaultActions({ vault }: { vault: Vault }) {
  const [{ form }, change] = useVaultSearch();
  const close = () => change({ form: undefined });
  const add = "New credential";
  return (
    <ObjectActions
      item={vault}
      name={vault.display_name}
      group="Vault"
      sharing="vaults"
      ending={ENDING}
      menuLabel="More of this vault"
      actions={[
        {
          id: "add",
          label: add,
          button: add,
          icon: "plus",
          shortcut: { keys: "n", label: add },
          run: () => change({ form: "new", tab: undefined }),
        },
        {
          id: "edit",
          label: "Name and metadata…",
          menu: "Name and metadata…",
          icon: "vault",
          run: () => change({ form: "vault" }),
        },
      ]}
    >
      <CredentialDialog vaultId={vault.id} open={form === "new"} onClose={close} />
      <VaultDialog vault={vault} open={form === "vault"} onClose={close} onSaved={close} />
    </ObjectActions>
  );
}
