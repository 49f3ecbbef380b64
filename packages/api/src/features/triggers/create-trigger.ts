import { randomBytes } from "node:crypto";
import { type Input, newUuid, type TriggerSource, type triggerRoutes } from "@berth/contract";
import { isOwn, type Principal } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { type SecretBox, triggerSecret, triggerToken } from "@berth/store/secrets";
import { requireReachable } from "../../request/reachable-url.ts";
import { type ConnectionRow, requireConnection } from "../connections/connection-store.ts";
import { actingPrincipal } from "../deployments/runs/acting-principal.ts";
import { lockDeployment, requireDeploymentForUpdate } from "../deployments/store/deployment-store.ts";
import { isSigningKey } from "./hooks/verify-hook.ts";
import { requireTriggerForUpdate } from "./require-trigger.ts";
import { storeTrigger, type TriggerRow } from "./store/trigger-store.ts";

export interface TriggerDeps {
  secrets: SecretBox;
  /** Hosts and networks with private addresses that may be reached, also over plain HTTP. */
  egressAllowPrivate: readonly string[];
}

type Create = Input<typeof triggerRoutes.create>;
type Update = Input<typeof triggerRoutes.update>;
type Fields = Update["body"];

const GIT_HOSTS: readonly TriggerSource[] = ["github", "gitlab", "gitea", "bitbucket"];

/**
 * Stores a trigger. Returns it with the secret by which its sender signs.
 *
 * @throws errors.locked, errors.tooManyTriggers; errors.invalid for a field that the type does not have, a secret that
 *   is none, and where nobody may ask
 */
export async function createTrigger(
  tx: Queryable,
  deps: TriggerDeps,
  principal: Principal,
  { params: { deployment_id: deploymentId }, body: { type, ...body } }: Create,
): Promise<{ row: TriggerRow; secret: string }> {
  const deployment = await requireDeploymentForUpdate(tx, principal, deploymentId);
  if (deployment.archived_at !== null) throw errors.locked("deployment", deploymentId);
  const id = newUuid();
  const secret = body.secret ?? newSecret(type);
  const empty: Omit<TriggerRow, "updated_at"> = {
    ...{
      id,
      deployment_id: deployment.id,
      type,
      name: null,
      filter: {},
      connection_id: null,
      site_url: null,
    },
    ...{ token: null, allowed_users: [], label: DEFAULTS.label, mention: DEFAULTS.mention },
    ...{ max_runs_per_hour: DEFAULTS.max_runs_per_hour, secret: Buffer.alloc(0) },
  };
  const row = await changed(tx, deps, principal, empty, { ...body, secret });
  if (body.allowed_users === undefined) requireAskers(row);
  return { row: await storeTrigger(tx, row), secret };
}

/** Changes a trigger. @throws as `createTrigger` */
export async function updateTrigger(
  tx: Queryable,
  deps: TriggerDeps,
  principal: Principal,
  { params, body }: Update,
): Promise<TriggerRow> {
  const trigger = await requireTriggerForUpdate(tx, principal, params);
  const next = await changed(tx, deps, principal, trigger, body);
  if (body.connection_id !== undefined && body.allowed_users === undefined) requireAskers(next);
  return await storeTrigger(tx, next);
}

const DEFAULTS = { label: "berth", mention: "@berth", max_runs_per_hour: 60 } as const;

function newSecret(type: TriggerSource): string {
  const bytes = randomBytes(32);
  return type === "signed" ? `whsec_${bytes.toString("base64")}` : bytes.toString("hex");
}

async function changed<Row extends Omit<TriggerRow, "updated_at">>(
  tx: Queryable,
  { secrets, egressAllowPrivate }: TriggerDeps,
  principal: Principal,
  row: Row,
  body: Fields,
): Promise<Row> {
  const { id, type } = row;
  const isGitHost = GIT_HOSTS.includes(type);
  if (body.secret !== undefined && type === "signed" && !isSigningKey(body.secret))
    throw errors.invalid("Field 'secret' must be 'whsec_' and the base64 of at least 16 bytes.", "secret");
  if (body.connection_id != null && !isGitHost) throw notFor("connection_id", type);
  if (body.token != null && (isGitHost || type === "signed")) throw notFor("token", type);
  if (body.site_url != null && type !== "jira") throw notFor("site_url", type);
  if (body.site_url != null) requireReachable(egressAllowPrivate, "site_url", body.site_url);
  const connection =
    body.connection_id == null
      ? null
      : await requireUsable(tx, principal, row.deployment_id, body.connection_id);
  const next: Row = {
    ...row,
    name: body.name === undefined ? row.name : body.name,
    filter: body.filter ?? row.filter,
    connection_id: body.connection_id === undefined ? row.connection_id : (connection?.id ?? null),
    site_url: body.site_url === undefined ? row.site_url : body.site_url,
    allowed_users: body.allowed_users ?? row.allowed_users,
    label: body.label === undefined ? row.label : body.label,
    mention: body.mention === undefined ? row.mention : body.mention,
    max_runs_per_hour: body.max_runs_per_hour ?? row.max_runs_per_hour,
    secret: body.secret === undefined ? row.secret : secrets.seal(triggerSecret(id), body.secret),
    token:
      body.token === undefined
        ? row.token
        : body.token === null
          ? null
          : secrets.seal(triggerToken(id), body.token),
  };
  return next;
}

/**
 * Returns a connection that both the principal and the deployment's owner may use: whoever may change the deployment
 * has Berth ask and speak by it.
 */
async function requireUsable(
  tx: Queryable,
  principal: Principal,
  deploymentId: string,
  connectionId: string,
): Promise<ConnectionRow> {
  const connection = await requireConnection(
    tx,
    { ...principal, needs: "read" },
    connectionId,
    "connection_id",
  );
  const deployment = await lockDeployment(tx, deploymentId);
  if (deployment === null) throw new Error("A deployment is missing although its row is locked.");
  const owner = { ...principal, role: "member" as const, id: deployment.owner_id };
  if (!isOwn((await actingPrincipal(tx, deployment)) ?? owner, connection))
    throw errors.invalid("The deployment's owner may not use the connection.", "connection_id");
  return connection;
}

/** Rejects a trigger that takes nothing from anybody, unless an empty `allowed_users` says that for now nobody may ask. */
function requireAskers({
  type,
  connection_id: connection,
  allowed_users: allowed,
}: Pick<TriggerRow, "type" | "connection_id" | "allowed_users">): void {
  if (type === "signed" || connection !== null || allowed.length > 0) return;
  const isGitHost = GIT_HOSTS.includes(type);
  throw errors.invalid(
    isGitHost
      ? "Nobody may ask: give a 'connection_id', by which the host is asked who may write to the repository, or 'allowed_users'."
      : "Nobody may ask: name who may in 'allowed_users', or '*' for all whom the sender lets write there.",
    isGitHost ? "connection_id" : "allowed_users",
  );
}

function notFor(field: string, type: TriggerSource): Error {
  return errors.invalid(`Field '${field}' is not for the type '${type}'.`, field);
}
