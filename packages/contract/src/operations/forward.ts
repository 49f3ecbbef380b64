import { get, post } from "./operation.ts";

/** Beside the cloud's own paths, and for users alone. */
const registry = { base: "/api/v1/forward", credential: "pat" } as const;

export const forward = {
  register: post("forward.register", "/resources/registry", "Register a resource", {
    ...registry,
    scope: "forward:write",
    created: "The resource was not registered before.",
  }),
  list: get("forward.list", "/resources", "List the resources that the caller has registered", {
    ...registry,
    scope: "forward:read",
    answers: "page",
  }),
} as const;
