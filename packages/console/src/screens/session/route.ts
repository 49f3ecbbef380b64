import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { sessionQuery } from "../../api/queries/sessions.ts";
import { queryClient } from "../../api/query-client.ts";
import { rootRoute } from "../../shell/root-route.tsx";
import { prefetchTail } from "./log/tail.ts";
import { PANELS, type PanelId } from "./scope/panel-ids.ts";

type SessionSearch = {
  /** The id of the event that is shown and marked. */
  event?: string;
  /** The panel beside the transcript; `none` closes it. */
  panel?: PanelId | "none";
  /** The path that is open in the panel, of a repository or of the workspace. */
  path?: string;
};

export const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions/$sessionId",
  validateSearch: (search: Record<string, unknown>): SessionSearch => ({
    ...(typeof search.event === "string" ? { event: search.event } : {}),
    ...(isPanel(search.panel) ? { panel: search.panel } : {}),
    ...(typeof search.path === "string" ? { path: search.path } : {}),
  }),
  loader: ({ params: { sessionId }, cause }) => {
    if (cause === "stay") return;
    void queryClient.prefetchQuery(sessionQuery(sessionId));
    prefetchTail(sessionId);
  },
  component: lazyRouteComponent(() => import("./session-screen.tsx"), "SessionScreen"),
});

function isPanel(value: unknown): value is PanelId | "none" {
  return value === "none" || (PANELS as readonly unknown[]).includes(value);
}
