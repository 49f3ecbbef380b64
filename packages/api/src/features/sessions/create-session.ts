import {
  budgetInNanodollars,
  completeGitIdentity,
  formatId,
  type Input,
  newUuid,
  type sessionRoutes,
} from "@berth/contract";
import { ownedBy, type Principal, type ReferenceCheck } from "@berth/store/access";
import type { BlobStore } from "@berth/store/blobs";
import { type DatabaseAccess, type Queryable, storeOne } from "@berth/store/db";
import type { OwnerLimits } from "@berth/store/limits";
import { startsWork } from "@berth/store/session-log";
import type { RequestScope } from "../../request/request-scope.ts";
import { agentSnapshot } from "../agents/agent-store.ts";
import type { PricedModels } from "../usage/figures.ts";
import { requirePriced } from "./budgets/require-priced.ts";
import { requireSpendAllowed } from "./budgets/require-spend-allowed.ts";
import { createdBy, creatorOf } from "./events/created-by.ts";
import { MessageFiles } from "./events/message-files.ts";
import { requireWorkAllowed } from "./events/work-limits.ts";
import { insertSession, type NewSession } from "./new-session-store.ts";
import { openSessionsChecks } from "./open-sessions.ts";
import { prepareAgent, prepareEnvironment, prepareVaults } from "./prepare-references.ts";
import { prepareSkills } from "./prepare-skills.ts";
import type { RepositoryDeps } from "./resources/prepare-repositories.ts";
import { prepareResources } from "./resources/prepare-resources.ts";
import type { SessionRow } from "./session-row.ts";

type Body = Input<typeof sessionRoutes.create>["body"];

export interface CreateSessionDeps extends RepositoryDeps {
  blobs: BlobStore;
  limits: OwnerLimits;
  models: PricedModels;
}

/**
 * Stores a session with its entry in the audit log. Returns the session, and whether it is due: whether it
 * has repositories to clone or events to process. Cloning is left to the worker that claims the session.
 *
 * Checks in this order: hosts and mount paths; existence; access; archived or unready objects; prices of
 * models; limits on work, on spending, and on open sessions.
 *
 * @param deploymentId uuid of the deployment that creates it. Default: none.
 */
export async function createSession(
  request: Pick<RequestScope, "db" | "principal" | "traceparent" | "auditEntry">,
  deps: CreateSessionDeps,
  body: Body,
  deploymentId: string | null = null,
): Promise<{ row: SessionRow; due: boolean }> {
  const { db, principal, traceparent } = request;
  const first = body.initial_events ?? [];
  const { resources, agent, environment, vaults, messageFiles, references, skills } = await checkSession(
    request,
    deps,
    body,
  );
  requirePriced(deps.models, agent.row.definition, body);
  const creator = first.length === 0 ? null : await creatorOf(db.read, principal);
  const events =
    creator === null
      ? []
      : createdBy(deploymentId === null ? creator : { ...creator, via: "deployment" }, first);
  const rows = resources.rows();
  const due = startsWork(events) || rows.some(({ url }) => url !== undefined);
  const id = newUuid();
  const session: NewSession = {
    id,
    ...ownedBy(principal, body.visibility),
    agent_id: agent.row.id,
    agent: JSON.stringify(agentSnapshot(agent.row, skills?.pinned())),
    environment_id: environment.row.id,
    deployment_id: deploymentId,
    environment_variables: body.environment_variables ?? {},
    git_identity: completeGitIdentity(body.git_identity ?? null),
    budget_nano: body.budget == null ? null : budgetInNanodollars(body.budget),
    follow: body.follow ?? null,
    title: body.title ?? "",
    metadata: body.metadata ?? {},
    resources: rows,
    vault_ids: vaults.pairs.map(({ row }) => row.id),
    skill_version_ids: skills?.versions() ?? [],
    events,
    due,
    traceparent,
    audit: request.auditEntry(formatId("session", id)),
  };
  await requireWorkAllowed(db.read, deps.limits, session, events);
  await requireSpendAllowed(db.write, deps, session, agent.row.definition);
  const room = await openSessionsChecks(db.read, deps.limits, principal);
  const locked = [...room, ...references, ...(skills === null ? [] : [skills])];
  const row = await store(db, session, locked, (tx) => messageFiles.keep(tx, id));
  // The agent or the environment was archived or deleted since it was read. The second try reports it.
  if (row === null) return await createSession(request, deps, body, deploymentId);
  return { row, due };
}

/** The body of a request that creates a session, as far as it is checked without storing one. */
export type SessionBody = Pick<
  Body,
  "agent" | "environment_id" | "resources" | "vault_ids" | "initial_events"
>;

/** Checks what a new session refers to, up to the limits: see `createSession`. */
export async function checkSession(
  { db, principal }: Pick<RequestScope, "db" | "principal">,
  deps: CreateSessionDeps,
  body: SessionBody,
) {
  const resources = prepareResources(deps, body.resources ?? []);
  const agent = prepareAgent(body.agent);
  const environment = prepareEnvironment(body.environment_id);
  const vaults = prepareVaults(body);
  const messageFiles = new MessageFiles(deps.blobs, body.initial_events ?? [], "initial_events");
  const references = [agent, environment, ...resources.references, vaults, messageFiles];
  await checkAll(db, principal, references);
  const skills = await prepareSkills(db.read, agent.row);
  return { resources, agent, environment, vaults, messageFiles, references, skills };
}

/** Loads all references concurrently, and throws the error of the first that fails. */
async function checkAll(
  db: DatabaseAccess,
  principal: Principal,
  references: readonly ReferenceCheck[],
): Promise<void> {
  const loaded = await Promise.allSettled(references.map((reference) => reference.load(db.read)));
  for (const one of loaded) if (one.status === "rejected") throw one.reason;
  for (const reference of references) await reference.checkAccess(db.read, principal);
  for (const reference of references) reference.checkState();
}

async function store(
  db: DatabaseAccess,
  session: NewSession,
  references: readonly Pick<ReferenceCheck, "lock">[],
  keep: (tx: Queryable) => Promise<void>,
): Promise<SessionRow | null> {
  const toLock = references.filter(({ lock }) => lock !== undefined);
  if (toLock.length === 0) return await db.store(insertSession, session);
  return await db.transaction(async (tx) => {
    for (const { lock } of toLock) await lock?.(tx);
    const row = await storeOne(tx, insertSession, session);
    if (row !== null) await keep(tx);
    return row;
  });
}
