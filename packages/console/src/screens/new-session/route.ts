import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";

export const newSessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/new",
  validateSearch: (search: Record<string, unknown>): { like?: string } =>
    typeof search.like === "string" ? { like: search.like } : {},
  component: lazyRouteComponent(() => import("./new-session-screen.tsx"), "NewSessionScreen"),
});
