import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";
import { readUsageSearch } from "./usage-search.ts";

export const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/usage",
  validateSearch: readUsageSearch,
  component: lazyRouteComponent(() => import("./usage-screen.tsx"), "UsageScreen"),
});

export const usageNav: NavItem = { label: "Usage", to: "/usage", icon: "chart", key: "u" };
