import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";

/** Where the link of the command line leads: `/console/sign-in#code=…`. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  component: lazyRouteComponent(() => import("./sign-in-screen.tsx"), "SignInScreen"),
});
