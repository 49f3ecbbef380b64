import {
  completeGitIdentity,
  type environmentRoutes,
  type Input,
  newUuid,
  uuidTimestamp,
} from "@berth/contract";
import { ownedBy, type Principal } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { type EnvironmentRow, insertEnvironment } from "./environment-store.ts";
import { type EnvironmentRules, requireAllowed } from "./require-allowed.ts";
import { askedRuntimes, DEFAULT_WORKSPACE, resolveConfig, resolveResources } from "./resolve-environment.ts";

type Body = Input<typeof environmentRoutes.create>["body"];

/**
 * Creates an environment with all defaults filled in.
 *
 * @param rules of the installation.
 * @throws errors.noImages, errors.noRuntimeClasses, errors.noRuntimes, errors.otherRuntimeClass,
 * errors.aboveCeiling, errors.runtimeMissing, errors.runtimesNotListed, errors.nameTaken
 */
export async function createEnvironment(
  db: Queryable,
  principal: Principal,
  body: Body,
  rules: EnvironmentRules,
): Promise<EnvironmentRow> {
  requireAllowed(body, rules);
  const resolved = (await rules.runtimes?.resolve(askedRuntimes(body.config), "config.runtimes")) ?? [];
  const environment = {
    id: newUuid(),
    ...ownedBy(principal, body.visibility),
    name: body.name,
    description: body.description ?? null,
    config: resolveConfig(body.config, resolved),
    environment_variables: body.environment_variables ?? {},
    credentials: body.credentials ?? "inject",
    git_identity: completeGitIdentity(body.git_identity ?? null),
    image: body.image ?? null,
    runtime_class: body.runtime_class ?? null,
    workspace: body.workspace ?? DEFAULT_WORKSPACE,
    keep_alive_seconds: body.keep_alive_seconds ?? 0,
    resources: resolveResources(body.resources, rules),
    metadata: body.metadata ?? {},
  };
  if (!(await insertEnvironment(db, environment))) throw errors.nameTaken("environment", body.name);
  const updatedAt = new Date(uuidTimestamp(environment.id));
  return { ...environment, archived_at: null, updated_at: updatedAt };
}
