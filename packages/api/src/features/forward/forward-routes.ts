import { forwardRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listResources } from "./list-resources.ts";
import { registerResource } from "./register-resource.ts";

/** Registers existing resources, and lists those that the caller registered. Callers are users. */
export function mountForward(app: HttpApp): void {
  mount(app, forwardRoutes.register, ({ principal, db }, { body }) => registerResource(db, principal, body));
  mount(app, forwardRoutes.list, listResources);
}
