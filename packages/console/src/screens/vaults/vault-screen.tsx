import type { Vault } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ObjectKind, ObjectPage } from "../../shell/object-page.tsx";
import { Credentials } from "./credentials.tsx";
import { vaultQuery } from "./queries.ts";
import { useVaultSearch } from "./use-vault-search.ts";
import { VaultActions } from "./vault-actions.tsx";

const route = getRouteApi("/vaults/$vaultId");

const VAULT: ObjectKind<Vault, "credentials"> = {
  title: "Vault",
  list: { name: "Vaults", to: "/vaults" },
  nameOf: ({ display_name }) => display_name,
  actions: (vault) => <VaultActions vault={vault} />,
  tabs: (vault) => [
    { id: "credentials", label: "Credentials", content: () => <Credentials vault={vault} /> },
  ],
  calls: ({ id }) => [
    { operation: operations.vaults.get, params: { vault_id: id } },
    { operation: operations.vaultCredentials.list, params: { vault_id: id } },
    { operation: operations.vaults.archive, params: { vault_id: id } },
  ],
};

/** Shows a vault: its credentials, its JSON. */
export function VaultScreen() {
  const { vaultId } = route.useParams();
  const [{ tab = "credentials" }, change] = useVaultSearch();
  return (
    <ObjectPage
      kind={VAULT}
      query={useQuery(vaultQuery(vaultId))}
      tab={tab}
      onTab={(next) => change({ tab: next === "credentials" ? undefined : next })}
    />
  );
}
