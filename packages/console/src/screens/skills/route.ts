import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readListSearch } from "../../shell/list-search.ts";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";

type SkillTab = "contents" | "versions" | "api";

type SkillSearch = {
  tab?: SkillTab;
  /** The version whose contents are shown; absent for the newest. */
  version?: number;
  /** The path of the file that is shown. */
  path?: string;
};

export const skillsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/skills",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./skills-screen.tsx"), "SkillsScreen"),
});

export const skillRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/skills/$skillId",
  validateSearch: ({ tab, version, path }: Record<string, unknown>): SkillSearch => ({
    ...(tab === "versions" || tab === "api" ? { tab } : {}),
    ...(typeof version === "number" ? { version } : {}),
    ...(typeof path === "string" ? { path } : {}),
  }),
  component: lazyRouteComponent(() => import("./skill-screen.tsx"), "SkillScreen"),
});

export const skillRoutes = [skillsRoute, skillRoute] as const;

export const skillsNav: NavItem = { label: "Skills", to: "/skills", icon: "skill", key: "k" };
