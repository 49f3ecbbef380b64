import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";
import { readConnectionSearch } from "./connection-search.ts";

export const connectionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/connections",
  validateSearch: readConnectionSearch,
  component: lazyRouteComponent(() => import("./connections-screen.tsx"), "ConnectionsScreen"),
});

export const connectionsNav: NavItem = {
  label: "Connections",
  to: "/connections",
  icon: "branch",
  key: "c",
};
