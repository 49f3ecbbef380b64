import { isDeepStrictEqual } from "node:util";
import {
  completeGitIdentity,
  type environmentRoutes,
  type Input,
  type ResolvedRuntime,
} from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { patchMetadata } from "../../request/patch-metadata.ts";
import {
  type EnvironmentRow,
  getEnvironment,
  requireEnvironmentForUpdate,
  updateEnvironmentRow,
} from "./environment-store.ts";
import { type EnvironmentRules, requireAllowed } from "./require-allowed.ts";
import { askedRuntimes, DEFAULT_WORKSPACE, resolveConfig, resolveResources } from "./resolve-environment.ts";

type Body = Input<typeof environmentRoutes.update>["body"];

/**
 * Updates an environment. An update that changes nothing leaves `updated_at` as it is.
 *
 * @param rules of the installation.
 * @throws errors.noImages, errors.noRuntimeClasses, errors.noRuntimes, errors.otherRuntimeClass,
 * errors.aboveCeiling, errors.runtimeMissing, errors.runtimesNotListed, errors.locked, errors.nameTaken
 */
export async function updateEnvironment(
  db: DatabaseAccess,
  principal: Principal,
  environmentId: string,
  body: Body,
  rules: EnvironmentRules,
): Promise<EnvironmentRow> {
  requireAllowed(body, rules);
  const resolved = (await rules.runtimes?.resolve(askedRuntimes(body.config), "config.runtimes")) ?? [];
  return await db.transaction(async (tx) => {
    const environment = await requireEnvironmentForUpdate(tx, principal, environmentId);
    if (environment.archived_at !== null) throw errors.locked("environment", environmentId);
    const changed = changeEnvironment(environment, body, resolved, rules);
    if (isDeepStrictEqual(changed, environment)) return environment;
    if (!(await updateEnvironmentRow(tx, changed))) throw errors.nameTaken("environment", changed.name);
    const stored = await getEnvironment(tx, environment.id);
    if (stored === null) throw new Error("An environment is missing after its update.");
    return stored;
  });
}

function changeEnvironment(
  environment: EnvironmentRow,
  body: Body,
  resolved: readonly ResolvedRuntime[],
  rules: EnvironmentRules,
): EnvironmentRow {
  const { name, description, environment_variables: variables, config, resources, metadata } = environment;
  return {
    ...environment,
    name: body.name ?? name,
    description: body.description === undefined ? description : body.description,
    config: resolveConfig(body.config, resolved, config),
    environment_variables:
      body.environment_variables === undefined ? variables : (body.environment_variables ?? {}),
    credentials: body.credentials === undefined ? environment.credentials : (body.credentials ?? "inject"),
    git_identity:
      body.git_identity === undefined ? environment.git_identity : completeGitIdentity(body.git_identity),
    image: body.image === undefined ? environment.image : body.image,
    runtime_class: body.runtime_class === undefined ? environment.runtime_class : body.runtime_class,
    workspace: body.workspace === undefined ? environment.workspace : (body.workspace ?? DEFAULT_WORKSPACE),
    keep_alive_seconds:
      body.keep_alive_seconds === undefined ? environment.keep_alive_seconds : (body.keep_alive_seconds ?? 0),
    resources: resolveResources(body.resources, rules, resources),
    metadata: patchMetadata(metadata, body.metadata),
  };
}
