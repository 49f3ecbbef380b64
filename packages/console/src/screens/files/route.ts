import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { type ListSearch, readListSearch } from "../../shell/list-search.ts";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";

type FilesSearch = Omit<ListSearch, "archived"> & {
  origin?: "uploads" | "outputs";
  /** The session whose outputs are listed. */
  session?: string;
};

export const filesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/files",
  validateSearch: (search: Record<string, unknown>): FilesSearch => {
    const { archived: _, ...list } = readListSearch(search);
    const { origin, session } = search;
    return {
      ...list,
      ...(origin === "uploads" || origin === "outputs" ? { origin } : {}),
      ...(typeof session === "string" ? { session } : {}),
    };
  },
  component: lazyRouteComponent(() => import("./files-screen.tsx"), "FilesScreen"),
});

export const fileRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/files/$fileId",
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: "api" } => (tab === "api" ? { tab } : {}),
  component: lazyRouteComponent(() => import("./file-screen.tsx"), "FileScreen"),
});

export const fileRoutes = [filesRoute, fileRoute] as const;

export const filesNav: NavItem = { label: "Files", to: "/files", icon: "file", key: "f" };
