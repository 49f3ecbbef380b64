import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";
import { readAdministrationSearch } from "./administration-search.ts";

export const administrationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/administration",
  validateSearch: readAdministrationSearch,
  component: lazyRouteComponent(() => import("./administration-screen.tsx"), "AdministrationScreen"),
});

export const administrationNav: NavItem = {
  label: "Administration",
  to: "/administration",
  icon: "shield",
  key: "d",
  forAdmins: true,
};
