import { getRouteApi } from "@tanstack/react-router";
import { type Change, withChange } from "../../format/search.ts";
import type { VaultSearch } from "./vault-search.ts";

const route = getRouteApi("/vaults/$vaultId");

/** Returns the state of a vault's page, and a function that changes it. */
export function useVaultSearch() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Change<VaultSearch>) =>
    void navigate({ search: withChange(search, part), replace: true });
  return [search, change] as const;
}
