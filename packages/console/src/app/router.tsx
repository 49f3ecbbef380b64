import { createRouter } from "@tanstack/react-router";
import { Frame } from "../shell/frame.tsx";
import { rootRoute } from "../shell/root-route.tsx";
import { navigation, routes } from "./screens.ts";
import { useFoundObjects } from "./use-found-objects.ts";

rootRoute.update({ component: Root });

export const router = createRouter({
  routeTree: rootRoute.addChildren([...routes]),
  basepath: "/console",
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

function Root() {
  return <Frame groups={navigation} useFound={useFoundObjects} />;
}
