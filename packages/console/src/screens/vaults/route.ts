import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readListSearch } from "../../shell/list-search.ts";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";
import { readVaultSearch, readVaultsSearch } from "./vault-search.ts";

export const vaultsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/vaults",
  validateSearch: (search) => ({ ...readListSearch(search), ...readVaultsSearch(search) }),
  component: lazyRouteComponent(() => import("./vaults-screen.tsx"), "VaultsScreen"),
});

export const vaultRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/vaults/$vaultId",
  validateSearch: readVaultSearch,
  component: lazyRouteComponent(() => import("./vault-screen.tsx"), "VaultScreen"),
});

export const vaultsNav: NavItem = { label: "Vaults", to: "/vaults", icon: "vault", key: "v" };
