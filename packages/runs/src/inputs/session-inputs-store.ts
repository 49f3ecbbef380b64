import { LeaseLost } from "@berth/agent";
import type { Environment, GitIdentity, SessionAgent } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { WAITING_AS_JSON, type WaitingInputs } from "@berth/store/session-log";
import type { Removal } from "./removal-store.ts";
import {
  type JsonResource,
  RESOURCES_AS_JSON,
  type RunResource,
  resourcesFromJson,
} from "./resource-store.ts";

/** A session as its run sees it. The agent never changes; fields from the environment may. */
export interface RunSession {
  id: string;
  /** The organization. Layers of systems are shared within it, so its packages never reach another. */
  organizationId: string;
  /** The user, or the organization. */
  ownerId: string;
  agent: SessionAgent;
  networking: Environment["config"]["networking"];
  packages: Environment["config"]["packages"];
  setupScript: string | null;
  /** The script that runs in each repository once it is cloned; null for none. */
  repositorySetup: { script: string; isRequired: boolean } | null;
  /** The environment's variables, without the session's own. */
  variables: Record<string, string>;
  limits: Environment["resources"];
  /** The identity for commits, each part from the session, its environment or its agent, in this order. */
  gitIdentity: GitIdentity;
  /** The image; null for the engine's default. */
  image: string | null;
  /** The runtime class; null for the installation's own. */
  runtimeClass: string | null;
  /** The environment's present setting; the disk may be older. */
  workspace: Environment["workspace"];
  /** The place that has the session's disk; null while there is none, or none that is whole. */
  home: string | null;
  /** The name of the disk; null when it is named after the session. */
  disk: string | null;
  /** The trace context of the request that last made the session due; null while nothing is traced. */
  traceparent: string | null;
}

/** Everything that a run reads of its session at one moment. */
export interface SessionInputs {
  session: RunSession;
  /** Resources, oldest first. */
  resources: readonly RunResource[];
  removals: readonly Removal[];
  waiting: WaitingInputs;
}

interface Row {
  organization_id: string;
  owner_id: string;
  agent: SessionAgent;
  config: Environment["config"];
  environment_variables: Record<string, string>;
  limits: Environment["resources"];
  image: string | null;
  runtime_class: string | null;
  workspace: Environment["workspace"];
  home: string | null;
  disk: string | null;
  traceparent: string | null;
  own_identity: GitIdentity | null;
  shared_identity: GitIdentity | null;
  removals: Removal[];
  resources: JsonResource[];
  waiting: WaitingInputs;
}

/**
 * Reads the session, its environment, its resources, the removals and the waiting inputs, in one statement.
 *
 * @throws LeaseLost when the session does not exist.
 */
export async function readInputs(db: Queryable, sessionId: string): Promise<SessionInputs> {
  const { rows } = await db.query<Row>({
    name: "run_inputs",
    text: `
      select sessions.organization_id, sessions.owner_id, sessions.agent, environments.config, environments.environment_variables,
        environments.resources as limits, environments.image, environments.runtime_class, environments.workspace,
        sessions.traceparent, sessions.disk,
        case when not exists (
          select from workspace_saves where session_id = sessions.id and restoring
        ) and not disk_unverified then sessions.home end as home,
        sessions.git_identity as own_identity, environments.git_identity as shared_identity,
        (
          select coalesce(json_agg(json_build_object('id', resource_id, 'mountPath', mount_path) order by resource_id), '[]')
          from session_removals where session_id = sessions.id
        ) as removals,
        ${RESOURCES_AS_JSON} as resources,
        ${WAITING_AS_JSON} as waiting
      from sessions join environments on environments.id = sessions.environment_id
      where sessions.id = $1`,
    values: [sessionId],
  });
  const row = rows[0];
  if (row === undefined) throw new LeaseLost();
  const { removals, waiting } = row;
  return {
    session: sessionOf(sessionId, row),
    resources: resourcesFromJson(row.resources),
    removals,
    waiting,
  };
}

function sessionOf(sessionId: string, row: Row): RunSession {
  const { agent, config, limits, image } = row;
  const { networking, packages, setup_script: setupScript, repository_setup_script: script } = config;
  return {
    id: sessionId,
    organizationId: row.organization_id,
    ownerId: row.owner_id,
    agent,
    networking,
    packages,
    setupScript,
    repositorySetup: script === null ? null : { script, isRequired: config.repository_setup_required },
    variables: row.environment_variables,
    limits,
    gitIdentity: firstIdentity([row.own_identity, row.shared_identity, agent.git_identity]),
    image,
    runtimeClass: row.runtime_class,
    workspace: row.workspace,
    home: row.home,
    disk: row.disk,
    traceparent: row.traceparent,
  };
}

function firstIdentity(given: readonly (GitIdentity | null | undefined)[]): GitIdentity {
  const named = given.find((one) => one?.name != null);
  const shared = given.find((one) => one?.co_authored_by != null);
  return {
    name: named?.name ?? null,
    email: named?.email ?? null,
    co_authored_by: shared?.co_authored_by ?? null,
  };
}
