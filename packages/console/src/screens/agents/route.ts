import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readListSearch } from "../../shell/list-search.ts";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";

type AgentTab = "settings" | "versions" | "api";

type AgentSearch = {
  tab?: AgentTab;
  /** The versions that are compared. */
  from?: number;
  to?: number;
};

export const agentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./agents-screen.tsx"), "AgentsScreen"),
});

export const newAgentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents/new",
  validateSearch: (search: Record<string, unknown>): { like?: string } =>
    typeof search.like === "string" ? { like: search.like } : {},
  component: lazyRouteComponent(() => import("./new-agent-screen.tsx"), "NewAgentScreen"),
});

export const agentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents/$agentId",
  validateSearch: ({ tab, from, to }: Record<string, unknown>): AgentSearch => ({
    ...(tab === "versions" || tab === "api" ? { tab } : {}),
    ...(typeof from === "number" ? { from } : {}),
    ...(typeof to === "number" ? { to } : {}),
  }),
  component: lazyRouteComponent(() => import("./agent-screen.tsx"), "AgentScreen"),
});

export const editAgentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents/$agentId/edit",
  component: lazyRouteComponent(() => import("./edit-agent-screen.tsx"), "EditAgentScreen"),
});

export const agentRoutes = [agentsRoute, newAgentRoute, agentRoute, editAgentRoute] as const;

export const agentsNav: NavItem = { label: "Agents", to: "/agents", icon: "agent", key: "a" };
