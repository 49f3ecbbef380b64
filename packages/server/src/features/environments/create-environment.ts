import {
  type Environment,
  type environmentRoutes,
  type Input,
  newUuid,
  uuidTimestamp,
} from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { ownerOf, type Principal } from "../../http/principal.ts";
import { environmentAnswer, insertEnvironment } from "./environment-store.ts";
import { resolveNetworking, resolveResources } from "./resolve-environment.ts";

type Body = Input<typeof environmentRoutes.create>["body"];

/** Makes an environment with every default filled in. @throws errors.nameTaken */
export async function createEnvironment(
  db: Queryable,
  principal: Principal,
  body: Body,
): Promise<Environment> {
  const environment = {
    id: newUuid(),
    ...ownerOf(principal),
    name: body.name,
    description: body.description ?? null,
    config: { type: "cloud", networking: resolveNetworking(body.config?.networking) } as const,
    environment_variables: body.environment_variables ?? {},
    credentials: body.credentials ?? "inject",
    resources: resolveResources(body.resources),
    metadata: body.metadata ?? {},
  };
  if (!(await insertEnvironment(db, environment))) throw errors.nameTaken("environment", body.name);
  const updatedAt = new Date(uuidTimestamp(environment.id));
  return environmentAnswer({ ...environment, archived_at: null, updated_at: updatedAt });
}
