import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";

type DeviceSearch = { code?: string };

/** The page that `berth login --device` links to: `/console/device?code=…`. */
export const deviceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/device",
  validateSearch: ({ code }: Record<string, unknown>): DeviceSearch =>
    typeof code === "string" && code !== "" ? { code: code.slice(0, 64) } : {},
  component: lazyRouteComponent(() => import("./device-screen.tsx"), "DeviceScreen"),
});
