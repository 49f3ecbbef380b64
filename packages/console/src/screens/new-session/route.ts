import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";

export const newSessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/new",
  component: lazyRouteComponent(() => import("./new-session-screen.tsx"), "NewSessionScreen"),
});
