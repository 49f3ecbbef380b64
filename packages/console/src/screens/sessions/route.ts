import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./sessions-screen.tsx"), "SessionsScreen"),
});

export const sessionsNav: NavItem = { label: "Sessions", to: "/", icon: "session", key: "s" };
