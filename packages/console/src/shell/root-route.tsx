import { createRootRoute } from "@tanstack/react-router";
import { NotFound, RouteError } from "./route-states.tsx";

/** The parent of every screen's route. The app sets its frame, since it knows all screens. */
export const rootRoute = createRootRoute({ notFoundComponent: NotFound, errorComponent: RouteError });
