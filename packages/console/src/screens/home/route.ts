import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: (search: Record<string, unknown>): object => search,
  // Addresses of the list of sessions that were noted when it was here.
  beforeLoad: ({ search }) => {
    if (Object.keys(search).length > 0) throw redirect({ to: "/sessions", search, replace: true });
  },
  component: lazyRouteComponent(() => import("./home-screen.tsx"), "HomeScreen"),
});

export const homeNav: NavItem = {
  label: "Home",
  to: "/",
  icon: "home",
  key: "h",
  Count: lazyRouteComponent(() => import("./unseen-count.tsx"), "UnseenCount"),
};
