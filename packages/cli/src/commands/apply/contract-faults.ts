import type { ValidationError } from "@berth/contract";
import { type AnyRoute, routes, validationErrors } from "@berth/contract";
import type { Kind } from "./kinds.ts";

const ROUTES: Readonly<Record<Kind, { create: AnyRoute; update: AnyRoute }>> = {
  agent: routes.agents,
  environment: routes.environments,
  memory_store: routes.memoryStores,
  vault: routes.vaults,
  memory: routes.memories,
  vault_credential: routes.vaultCredentials,
  // A skill is created by a form, whose fields other than the files are those of an update.
  skill: { create: routes.skills.update, update: routes.skills.update },
};

/** Returns all errors that this version's contract finds in a body, in its order. */
export function contractErrors(kind: Kind, verb: "create" | "update", body: unknown): ValidationError[] {
  return validationErrors(ROUTES[kind][verb].body, body);
}
