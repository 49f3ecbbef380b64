import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readListSearch } from "../../shell/list-search.ts";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";

type EnvironmentTab = "settings" | "setup" | "api";

export const environmentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/environments",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./environments-screen.tsx"), "EnvironmentsScreen"),
});

export const newEnvironmentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/environments/new",
  validateSearch: (search: Record<string, unknown>): { like?: string } =>
    typeof search.like === "string" ? { like: search.like } : {},
  component: lazyRouteComponent(() => import("./new-environment-screen.tsx"), "NewEnvironmentScreen"),
});

export const environmentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/environments/$environmentId",
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: EnvironmentTab } =>
    tab === "setup" || tab === "api" ? { tab } : {},
  component: lazyRouteComponent(() => import("./environment-screen.tsx"), "EnvironmentScreen"),
});

export const editEnvironmentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/environments/$environmentId/edit",
  component: lazyRouteComponent(() => import("./edit-environment-screen.tsx"), "EditEnvironmentScreen"),
});

export const environmentRoutes = [
  environmentsRoute,
  newEnvironmentRoute,
  environmentRoute,
  editEnvironmentRoute,
] as const;

export const environmentsNav: NavItem = {
  label: "Environments",
  to: "/environments",
  icon: "environment",
  key: "e",
};
