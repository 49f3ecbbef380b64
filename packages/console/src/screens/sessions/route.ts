import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";
import { readFilters } from "./session-filters.ts";

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./sessions-screen.tsx"), "SessionsScreen"),
});

export const sessionsNav: NavItem = { label: "Sessions", to: "/sessions", icon: "session", key: "s" };
