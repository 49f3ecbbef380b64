import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readListSearch } from "../../shell/list-search.ts";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";

type StoreTab = "memories" | "versions" | "api";

type StoreSearch = {
  tab?: StoreTab;
  /** The memory that is shown, or whose versions are shown. */
  memory?: string;
  /** The version that is shown. */
  version?: string;
};

export const memoryStoresRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/memory",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./stores-screen.tsx"), "StoresScreen"),
});

export const memoryStoreRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/memory/$storeId",
  validateSearch: ({ tab, memory, version }: Record<string, unknown>): StoreSearch => ({
    ...(tab === "versions" || tab === "api" ? { tab } : {}),
    ...(typeof memory === "string" ? { memory } : {}),
    ...(typeof version === "string" ? { version } : {}),
  }),
  component: lazyRouteComponent(() => import("./store-screen.tsx"), "StoreScreen"),
});

export const memoryStoreRoutes = [memoryStoresRoute, memoryStoreRoute] as const;

export const memoryStoresNav: NavItem = { label: "Memory", to: "/memory", icon: "memory", key: "m" };
