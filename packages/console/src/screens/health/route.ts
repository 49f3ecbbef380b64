import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";
import { readHealthSearch } from "./health-search.ts";

export const healthRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/health",
  validateSearch: readHealthSearch,
  component: lazyRouteComponent(() => import("./health-screen.tsx"), "HealthScreen"),
});

export const healthNav: NavItem = { label: "Health", to: "/health", icon: "health", key: "y" };
