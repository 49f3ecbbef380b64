import { createRootRoute } from "@tanstack/react-router";
import { NotFound, RouteError } from "./route-states.tsx";

/** Every screen's route lies below this one. Its frame is set by the app, which knows all screens. */
export const rootRoute = createRootRoute({ notFoundComponent: NotFound, errorComponent: RouteError });
