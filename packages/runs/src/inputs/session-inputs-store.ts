import { LeaseLost } from "@berth/agent";
import type {
  ChosenRuntimes,
  Devcontainer,
  Environment,
  GitIdentity,
  ResolvedRuntime,
  SessionAgent,
} from "@berth/contract";
import { parseId } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { WAITING_AS_JSON, type WaitingInputs } from "@berth/store/session-log";
import type { Choices } from "../choices/choices.ts";
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
  /** Whether it has a budget of its own, or had one when it was read. It can get none later. */
  hasBudget: boolean;
  agent: SessionAgent;
  networking: Environment["config"]["networking"];
  packages: Environment["config"]["packages"];
  /** The versions of runtimes that the environment chose, or the session from its repositories. */
  runtimes: readonly Pick<ResolvedRuntime, "runtime" | "version">[];
  /** What the session's repositories ask for and the installation cannot have. */
  missingRuntimes: ChosenRuntimes["missing"];
  /** What the session follows of a repository's `devcontainer.json`; null for none. */
  devcontainer: SessionDevcontainer | null;
  /** What the session has yet to choose from its repositories; null for nothing. */
  toChoose: ToChoose | null;
  setupScript: string | null;
  /** The script that runs in each repository once it is cloned; null for none. */
  repositorySetup: { script: string; isRequired: boolean } | null;
  /** The environment's variables, without the session's own. */
  variables: Record<string, string>;
  limits: Environment["resources"];
  /** The identity for commits, each part from the session, its environment or its agent, in this order. */
  gitIdentity: GitIdentity;
  /** The address of the user who owns the session; null for an organization's. */
  ownerEmail: string | null;
  /** Public key with which the organization signs commits; null if it does not. */
  signingKey: string | null;
  /** The image that the environment names; null for none. See `imageOf`. */
  image: string | null;
  /** The runtime class; null for the installation's own. */
  runtimeClass: string | null;
  /** The environment's present setting; the disk may be older. */
  workspace: Environment["workspace"];
  /** Milliseconds that the sandbox stays open while processes run in it; the operator's maximum may be less. */
  keepAliveMs: number;
  /** The place that has the session's disk; null while there is none, or none that is whole. */
  home: string | null;
  /** The name of the disk; null when it is named after the session. */
  disk: string | null;
  /** The trace context of the request that last made the session due; null while nothing is traced. */
  traceparent: string | null;
}

/** What a session follows of a repository's `devcontainer.json`. */
export interface SessionDevcontainer {
  /** Uuid of the repository. */
  repository: string;
  /** Variables of commands, after which those of the environment and the session come. */
  variables: Record<string, string>;
  /** The script that prepares the repository; null for none. */
  script: string | null;
  /** The image of sandboxes, unless the environment names one; null for none. */
  image: string | null;
  /** What clients are shown of it. */
  shown: Devcontainer;
}

export interface ToChoose {
  /** Whether the files of all repositories choose the runtimes. */
  auto: boolean;
  /** Uuid of the repository whose `devcontainer.json` the session follows; null for none. */
  devcontainer: string | null;
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
  has_budget: boolean;
  agent: SessionAgent;
  config: Environment["config"];
  environment_variables: Record<string, string>;
  limits: Environment["resources"];
  image: string | null;
  runtime_class: string | null;
  workspace: Environment["workspace"];
  keep_alive_seconds: number;
  home: string | null;
  disk: string | null;
  traceparent: string | null;
  choices: Choices | null;
  owner_email: string | null;
  signing_key: string | null;
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
      select sessions.organization_id, sessions.owner_id, sessions.budget_nano is not null as has_budget, sessions.agent, environments.config, environments.environment_variables,
        environments.resources as limits, environments.image, environments.runtime_class, environments.workspace,
        environments.keep_alive_seconds,
        sessions.traceparent, sessions.disk, sessions.choices,
        case when not exists (
          select from workspace_saves where session_id = sessions.id and restoring
        ) and not disk_unverified then sessions.home end as home,
        (select email from users where users.id = sessions.owner_id) as owner_email,
        (select public_key from signing_keys where signing_keys.organization_id = sessions.organization_id) as signing_key,
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
    hasBudget: row.has_budget,
    agent,
    networking,
    packages,
    ...choiceOf(row),
    setupScript,
    repositorySetup: script === null ? null : { script, isRequired: config.repository_setup_required },
    variables: row.environment_variables,
    limits,
    gitIdentity: firstIdentity([row.own_identity, row.shared_identity, agent.git_identity]),
    ownerEmail: row.owner_email,
    signingKey: row.signing_key,
    image,
    runtimeClass: row.runtime_class,
    workspace: row.workspace,
    keepAliveMs: row.keep_alive_seconds * 1_000,
    home: row.home,
    disk: row.disk,
    traceparent: row.traceparent,
  };
}

type Chosen = Pick<RunSession, "runtimes" | "missingRuntimes" | "devcontainer">;

/** Returns what the environment names, and what the session has chosen from its repositories. */
export function chosenParts(named: RunSession["runtimes"], choices: Choices | null): Chosen {
  const { runtimes = null, devcontainer = null, variables = {}, setup = null } = choices ?? {};
  const isNamed = (name: string) => named.some(({ runtime }) => runtime === name);
  return {
    runtimes: [...named, ...(runtimes?.runtimes ?? []).filter(({ runtime }) => !isNamed(runtime))],
    missingRuntimes: (runtimes?.missing ?? []).filter(({ runtime }) => !isNamed(runtime)),
    devcontainer: devcontainer && {
      repository: parseId("session_resource", devcontainer.resource_id) ?? "",
      variables,
      script: setup,
      image: devcontainer.image,
      shown: devcontainer,
    },
  };
}

/** Returns the image of a session's sandboxes; null for the engine's default. */
export function imageOf({ image, devcontainer }: Pick<RunSession, "image" | "devcontainer">): string | null {
  return image ?? devcontainer?.image ?? null;
}

function choiceOf({ config, choices, resources }: Row): Chosen & Pick<RunSession, "toChoose"> {
  const auto = config.runtimes === "auto";
  const devcontainer = resources.find(({ environment_from: from }) => from === "devcontainer")?.id ?? null;
  const toChoose = choices === null && (auto || devcontainer !== null) ? { auto, devcontainer } : null;
  // Rows of releases before runtimes lack the field.
  return { ...chosenParts(config.resolved_runtimes ?? [], choices), toChoose };
}

function firstIdentity(given: readonly (GitIdentity | null | undefined)[]): GitIdentity {
  const named = given.find((one) => one?.name != null);
  const shared = given.find((one) => one?.co_authored_by != null);
  const owned = given.find((one) => one?.session_owner !== undefined);
  return {
    name: named?.name ?? null,
    email: named?.email ?? null,
    co_authored_by: shared?.co_authored_by ?? null,
    ...(owned?.session_owner === undefined ? {} : { session_owner: owned.session_owner }),
  };
}
