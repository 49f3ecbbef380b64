import { forwardRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listResources } from "./list-resources.ts";
import { registerResource } from "./register-resource.ts";

/** Mounts the routes that register resources and list the caller's registrations. Callers are users. */
export function mountForward(app: HttpApp): void {
  mount(app, forwardRoutes.register, ({ principal, db }, { body }) => registerResource(db, principal, body));
  mount(app, forwardRoutes.list, listResources);
}
