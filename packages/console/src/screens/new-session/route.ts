import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";

type NewSessionSearch = {
  /** The id of the session to copy. */
  like?: string;
  /** The ids that are chosen from the start. */
  agent?: string;
  environment?: string;
};

export const newSessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/new",
  validateSearch: ({ like, agent, environment }: Record<string, unknown>): NewSessionSearch => ({
    ...(typeof like === "string" ? { like } : {}),
    ...(typeof agent === "string" ? { agent } : {}),
    ...(typeof environment === "string" ? { environment } : {}),
  }),
  component: lazyRouteComponent(() => import("./new-session-screen.tsx"), "NewSessionScreen"),
});
