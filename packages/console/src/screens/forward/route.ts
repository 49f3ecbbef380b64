import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";
import { readForwardSearch } from "./forward-search.ts";

export const forwardRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/forward",
  validateSearch: readForwardSearch,
  component: lazyRouteComponent(() => import("./forward-screen.tsx"), "ForwardScreen"),
});

export const forwardNav: NavItem = { label: "Forward", to: "/forward", icon: "forward", key: "w" };
