import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";

/** The page that the command line's link opens: `/console/sign-in#code=…`. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  component: lazyRouteComponent(() => import("./sign-in-screen.tsx"), "SignInScreen"),
});
