import type { ValidationError } from "@berth/contract";
import { type AnyRoute, routes, validationErrors } from "@berth/contract";
import type { Kind } from "./kinds.ts";

const ROUTES: Readonly<Record<Kind, { create: AnyRoute; update: AnyRoute }>> = {
  agent: routes.agents,
  environment: routes.environments,
  memory_store: routes.memoryStores,
  vault: routes.vaults,
};

/** All that the contract of this version finds wrong with a body, in its order. */
export function contractErrors(kind: Kind, verb: "create" | "update", body: unknown): ValidationError[] {
  return validationErrors(ROUTES[kind][verb].body, body);
}
