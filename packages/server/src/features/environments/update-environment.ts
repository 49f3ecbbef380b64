import { isDeepStrictEqual } from "node:util";
import { completeGitIdentity, type environmentRoutes, type Input } from "@berth/contract";
import type { Principal } from "../../access/principal.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { errors } from "../../errors/catalogue.ts";
import { patchMetadata } from "../../request/patch-metadata.ts";
import {
  type EnvironmentRow,
  getEnvironment,
  requireEnvironmentForUpdate,
  updateEnvironmentRow,
} from "./environment-store.ts";
import { type Ceilings, type EnvironmentRules, requireBelowCeilings } from "./require-below-ceilings.ts";
import { resolveConfig, resolveResources } from "./resolve-environment.ts";

type Body = Input<typeof environmentRoutes.update>["body"];

/**
 * Updates an environment. An update without a difference leaves `updated_at` as it is.
 *
 * @param rules What the installation allows.
 * @throws errors.noImages, errors.aboveCeiling, errors.locked, errors.nameTaken
 */
export async function updateEnvironment(
  db: DatabaseAccess,
  principal: Principal,
  environmentId: string,
  body: Body,
  { runsImages, ceilings }: EnvironmentRules,
): Promise<EnvironmentRow> {
  if (body.image && !runsImages) throw errors.noImages();
  requireBelowCeilings(body.resources, ceilings);
  return await db.transaction(async (tx) => {
    const environment = await requireEnvironmentForUpdate(tx, principal, environmentId);
    if (environment.archived_at !== null) throw errors.locked("environment", environmentId);
    const changed = changeEnvironment(environment, body, ceilings);
    if (isDeepStrictEqual(changed, environment)) return environment;
    if (!(await updateEnvironmentRow(tx, changed))) throw errors.nameTaken("environment", changed.name);
    const stored = await getEnvironment(tx, environment.id);
    if (stored === null) throw new Error("An environment is missing after its update.");
    return stored;
  });
}

function changeEnvironment(environment: EnvironmentRow, body: Body, ceilings: Ceilings): EnvironmentRow {
  const { name, description, environment_variables: variables, config, resources, metadata } = environment;
  return {
    ...environment,
    name: body.name ?? name,
    description: body.description === undefined ? description : body.description,
    config: resolveConfig(body.config, config),
    environment_variables:
      body.environment_variables === undefined ? variables : (body.environment_variables ?? {}),
    credentials: body.credentials === undefined ? environment.credentials : (body.credentials ?? "inject"),
    git_identity:
      body.git_identity === undefined ? environment.git_identity : completeGitIdentity(body.git_identity),
    image: body.image === undefined ? environment.image : body.image,
    resources: resolveResources(body.resources, ceilings, resources),
    metadata: patchMetadata(metadata, body.metadata),
  };
}
