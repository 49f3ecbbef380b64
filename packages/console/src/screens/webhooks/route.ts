import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import type { NavItem } from "../../shell/sidebar.tsx";
import { readWebhookSearch } from "./webhook-search.ts";

export const webhooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/webhooks",
  validateSearch: readWebhookSearch,
  component: lazyRouteComponent(() => import("./webhooks-screen.tsx"), "WebhooksScreen"),
});

export const webhooksNav: NavItem = { label: "Webhooks", to: "/webhooks", icon: "send", key: "b" };
