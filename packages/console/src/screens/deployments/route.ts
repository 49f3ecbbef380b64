import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readListSearch } from "../../shell/list-search.ts";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";

const deploymentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/deployments",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./deployments-screen.tsx"), "DeploymentsScreen"),
});

const newDeploymentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/deployments/new",
  validateSearch: ({ like }: Record<string, unknown>): { like?: string } =>
    typeof like === "string" ? { like } : {},
  component: lazyRouteComponent(() => import("./new-deployment-screen.tsx"), "NewDeploymentScreen"),
});

const deploymentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/deployments/$deploymentId",
  validateSearch: ({ tab, failed }: Record<string, unknown>): { tab?: "api"; failed?: true } => ({
    ...(tab === "api" ? { tab } : {}),
    ...(failed === true ? { failed } : {}),
  }),
  component: lazyRouteComponent(() => import("./deployment-screen.tsx"), "DeploymentScreen"),
});

const editDeploymentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/deployments/$deploymentId/edit",
  component: lazyRouteComponent(() => import("./edit-deployment-screen.tsx"), "EditDeploymentScreen"),
});

export const deploymentRoutes = [
  deploymentsRoute,
  newDeploymentRoute,
  deploymentRoute,
  editDeploymentRoute,
] as const;

export const deploymentsNav: NavItem = { label: "Deployments", to: "/deployments", icon: "clock", key: "p" };
