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
import { resolveConfig, resolveResources } from "./resolve-environment.ts";

type Body = Input<typeof environmentRoutes.create>["body"];

/**
 * Makes an environment with every default filled in.
 *
 * @param runsImages Whether the installation's engine runs images.
 * @throws errors.noImages, errors.nameTaken
 */
export async function createEnvironment(
  db: Queryable,
  principal: Principal,
  body: Body,
  runsImages: boolean,
): Promise<Environment> {
  if (body.image && !runsImages) throw errors.noImages();
  const environment = {
    id: newUuid(),
    ...ownerOf(principal),
    name: body.name,
    description: body.description ?? null,
    config: resolveConfig(body.config),
    environment_variables: body.environment_variables ?? {},
    credentials: body.credentials ?? "inject",
    image: body.image ?? null,
    resources: resolveResources(body.resources),
    metadata: body.metadata ?? {},
  };
  if (!(await insertEnvironment(db, environment))) throw errors.nameTaken("environment", body.name);
  const updatedAt = new Date(uuidTimestamp(environment.id));
  return environmentAnswer({ ...environment, archived_at: null, updated_at: updatedAt });
}
