import {
  completeGitIdentity,
  type environmentRoutes,
  type Input,
  newUuid,
  uuidTimestamp,
} from "@berth/contract";
import { ownerOf, type Principal } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { type EnvironmentRow, insertEnvironment } from "./environment-store.ts";
import { type EnvironmentRules, requireAllowed } from "./require-allowed.ts";
import { DEFAULT_WORKSPACE, resolveConfig, resolveResources } from "./resolve-environment.ts";

type Body = Input<typeof environmentRoutes.create>["body"];

/**
 * Creates an environment with all defaults filled in.
 *
 * @param rules of the installation.
 * @throws errors.noImages, errors.noRuntimeClasses, errors.otherRuntimeClass, errors.aboveCeiling,
 * errors.nameTaken
 */
export async function createEnvironment(
  db: Queryable,
  principal: Principal,
  body: Body,
  rules: EnvironmentRules,
): Promise<EnvironmentRow> {
  requireAllowed(body, rules);
  const environment = {
    id: newUuid(),
    ...ownerOf(principal),
    name: body.name,
    description: body.description ?? null,
    config: resolveConfig(body.config),
    environment_variables: body.environment_variables ?? {},
    credentials: body.credentials ?? "inject",
    git_identity: completeGitIdentity(body.git_identity ?? null),
    image: body.image ?? null,
    runtime_class: body.runtime_class ?? null,
    workspace: body.workspace ?? DEFAULT_WORKSPACE,
    resources: resolveResources(body.resources, rules.ceilings),
    metadata: body.metadata ?? {},
  };
  if (!(await insertEnvironment(db, environment))) throw errors.nameTaken("environment", body.name);
  const updatedAt = new Date(uuidTimestamp(environment.id));
  return { ...environment, archived_at: null, updated_at: updatedAt };
}
