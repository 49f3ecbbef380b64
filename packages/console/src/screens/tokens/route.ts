import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";
import { readTokenSearch } from "./token-search.ts";

export const tokensRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/tokens",
  validateSearch: readTokenSearch,
  component: lazyRouteComponent(() => import("./tokens-screen.tsx"), "TokensScreen"),
});

export const tokensNav: NavItem = { label: "Tokens", to: "/tokens", icon: "key", key: "t" };
