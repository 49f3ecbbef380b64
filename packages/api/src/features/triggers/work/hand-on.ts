import { type DeploymentResource, formatId } from "@berth/contract";
import type { GuardedFetch } from "@berth/egress";
import type { AuditEntry } from "@berth/store/audit";
import { asDatabase, type Database, type DatabaseAccess } from "@berth/store/db";
import { ApiError } from "@berth/store/errors";
import { type GitHost, GitHostError, openGitHost } from "@berth/store/git-hosts";
import { connectionSecret, type SecretBox } from "@berth/store/secrets";
import { appendInputs } from "@berth/store/session-log";
import { type ConnectionRow, getConnections } from "../../connections/connection-store.ts";
import { actingPrincipal } from "../../deployments/runs/acting-principal.ts";
import { type RunDeps, runDeployment } from "../../deployments/runs/run-deployment.ts";
import { type DeploymentRow, lockDeployment } from "../../deployments/store/deployment-store.ts";
import { createdBy, creatorOf } from "../../sessions/events/created-by.ts";
import { requireWorkAllowed } from "../../sessions/events/work-limits.ts";
import { getSession } from "../../sessions/session-store.ts";
import { branchAt, type HookEvent } from "../hooks/hook-event.ts";
import {
  type ClaimedDelivery,
  lockClaimed,
  type Outcome,
  storeOutcome,
  storeThread,
  threadSession,
} from "../store/trigger-delivery-store.ts";
import type { TriggerRow } from "../store/trigger-store.ts";
import { messageOf } from "./trigger-texts.ts";

export interface HandOnDeps extends RunDeps {
  db: Database;
  secrets: SecretBox;
  /** Reaches git hosts: public addresses, and those that the operator allows. */
  fetch: GuardedFetch;
}

/** The session that a delivery made due: its uuid. */
export type HandedOn = { session: string } | null;

/**
 * Hands a delivery on: as the first message of a session that its deployment creates, or as a message of the session
 * of its thread, in one transaction with what became of it. Nothing happens if the claim no longer counts.
 *
 * @throws GitHostError if the host did not say who may ask.
 */
export async function handOn(
  deps: HandOnDeps,
  trigger: TriggerRow,
  delivery: ClaimedDelivery,
  claim: string,
): Promise<HandedOn> {
  const connection = await connectionOf(deps.db, trigger);
  const refusal = await refusalOf(deps, trigger, connection, delivery.work);
  const branch = refusal === null ? await branchOf(deps, trigger, connection, delivery) : null;
  const work = { ...delivery.work, branch };
  return await deps.db.transaction((tx) =>
    asDatabase(tx, async (whole) => {
      // The deployment first, as whoever changes it or its triggers does.
      const deployment = await lockDeployment(tx, trigger.deployment_id);
      if (deployment === null || !(await lockClaimed(tx, delivery.id, claim))) return null;
      const all = { whole, deps, deployment, trigger, connection, delivery: { ...delivery, work } };
      const [outcome, session] =
        refusal !== null
          ? [ignored(refusal), null]
          : ((await continueThread(all)) ?? (await startSession(all)));
      await storeOutcome(tx, delivery.id, outcome);
      return session === null ? null : { session };
    }),
  );
}

type Handed = [outcome: Outcome, session: string | null];

interface Work {
  whole: DatabaseAccess;
  deps: HandOnDeps;
  deployment: DeploymentRow;
  trigger: TriggerRow;
  connection: ConnectionRow | null;
  delivery: ClaimedDelivery;
}

function ignored(reason: string): Outcome {
  return { status: "ignored", reason, answer: null };
}

export async function connectionOf(
  db: Pick<Database, "read">,
  { connection_id: id }: TriggerRow,
): Promise<ConnectionRow | null> {
  return id === null ? null : ((await getConnections(db.read, [id]))[0] ?? null);
}

/** Opens the git host of a trigger. */
export function hostOf(
  { secrets, fetch }: Pick<HandOnDeps, "secrets" | "fetch">,
  connection: ConnectionRow,
): GitHost {
  const { id, url, api_url: apiUrl, auth, secret } = connection;
  return openGitHost(fetch, { url, apiUrl, auth, secret: secrets.open(connectionSecret(id), secret) });
}

/** Returns why a delivery is not handed on: who asked may not. Null if they may. */
async function refusalOf(
  deps: HandOnDeps,
  trigger: TriggerRow,
  connection: ConnectionRow | null,
  { author, repository, ask }: HookEvent,
): Promise<string | null> {
  if (trigger.type === "signed") return null;
  if (author === null) return "It does not say who caused it.";
  const allowed = trigger.allowed_users.map((one) => one.toLowerCase());
  if (author.handles.some((one) => one !== "*" && allowed.includes(one.toLowerCase()))) return null;
  if (author.isBot) return `${author.name} is a program, and not in 'allowed_users'.`;
  if (allowed.includes("*")) return null;
  if (trigger.connection_id === null) return `${author.name} is not in 'allowed_users'.`;
  if (connection === null) return "The connection by which the host is asked is gone.";
  if (repository === null) return "It names no repository for which the host could be asked.";
  try {
    return await hostOf(deps, connection).converse(repository, async (pulls) => {
      const account = ask === null ? await pulls.account() : null;
      if (account !== null && account === author.id) return "Berth's own account at the host caused it.";
      return (await pulls.mayWrite(repository, author))
        ? null
        : `${author.name} may not write to ${repository}, as far as the host says it.`;
    });
  } catch (error) {
    // What the credential does not reach cannot be known, and counts as no.
    if (!(error instanceof GitHostError) || error.fault.transient === true) throw error;
    return `Who may ask is not known. ${error.message}`;
  }
}

/**
 * Returns the branch that a delivery is about, which the host is asked for if the delivery of a comment on a pull
 * request does not name it; null for the default one.
 */
async function branchOf(
  deps: HandOnDeps,
  { id }: TriggerRow,
  connection: ConnectionRow | null,
  { thread, work: { branch, place } }: ClaimedDelivery,
): Promise<string | null> {
  if (branch !== null || connection === null || place?.type !== "discussion" || place.kind !== "pull")
    return branch;
  // The session of the thread has its branch already.
  if ((await threadSession(deps.db.write, id, thread)) !== null) return null;
  try {
    return await hostOf(deps, connection).converse(place.repository, async (pulls) => {
      const ref = (await pulls.ownBranch?.(place.repository, place.number)) ?? null;
      return branchAt({ ref }, "ref");
    });
  } catch (error) {
    // What the credential does not reach is worked on as without it.
    if (!(error instanceof GitHostError) || error.fault.transient === true) throw error;
    return null;
  }
}

/** Appends a message to the session of the thread; null if there is none that takes messages. */
async function continueThread({ whole, deps, deployment, trigger, delivery }: Work): Promise<Handed | null> {
  const { id: triggerId } = trigger;
  const sessionId = await threadSession(whole.write, triggerId, delivery.thread);
  const session = sessionId === null ? null : await getSession(whole.write, sessionId);
  if (sessionId === null || session === null) return null;
  if (deployment.archived_at !== null || deployment.paused_reason !== null) return [ignored(PAUSED), null];
  const principal = await actingPrincipal(whole.read, deployment);
  if (principal === null)
    return [failed("The user or service account that it acts as is disabled or gone."), null];
  const content = messageOf(delivery.work, false);
  const events = [{ type: "user.message" as const, content }];
  try {
    await requireWorkAllowed(whole.read, deps.limits, session, events);
  } catch (error) {
    if (error instanceof ApiError) return [failed(error.message), null];
    throw error;
  }
  const creator = { ...(await creatorOf(whole.read, principal)), via: "deployment" as const };
  const audit = auditEntryOf(deployment, formatId("session", sessionId));
  const rows = await appendInputs(whole.write, sessionId, createdBy(creator, events), { audit });
  if (rows === "absent" || rows === "archived" || rows === "terminated") return null;
  if (typeof rows === "string") return [failed(REJECTED[rows] ?? "The session takes no message now."), null];
  const outcome: Outcome = {
    ...{ status: "continued", sessionId, seq: `${rows.at(-1)?.seq ?? 0}` },
    answer: delivery.work.place === null ? null : "begin",
  };
  return [outcome, sessionId];
}

const PAUSED = "The deployment is paused or archived.";
const REJECTED: Readonly<Record<string, string>> = {
  set_aside: "The session was set aside, since it crashed its runner.",
  budget_reached: "The session has reached its budget.",
  full: "Too many messages wait in the session.",
};

function failed(reason: string): Outcome {
  return { status: "failed", reason, answer: null };
}

/** Creates a session of the deployment, whose first message has the delivery. */
async function startSession(work: Work): Promise<Handed> {
  const { whole, deps, deployment, trigger, connection, delivery } = work;
  if (deployment.archived_at !== null || deployment.paused_reason !== null) return [ignored(PAUSED), null];
  const resources = resourcesFor(deps, deployment, connection, delivery.work);
  if (typeof resources === "string") return [ignored(resources), null];
  const { run, session } = await runDeployment(
    whole,
    deps,
    { ...deployment, resources, initial_events: eventsWith(deployment, delivery.work) },
    {
      ...{ type: "event", scheduledAt: null, traceparent: null },
      ...{ source: trigger.type, deliveryId: delivery.deliveryId },
      auditEntry: (created) => auditEntryOf(deployment, created),
    },
    deployment.next_run_at,
  );
  if (session === null) return [failed(run.error_message ?? "No session could be created."), null];
  if (delivery.thread !== null) await storeThread(whole.write, trigger.id, delivery.thread, session.id);
  const outcome: Outcome = {
    ...{ status: "started", sessionId: session.id, seq: "0" },
    answer: delivery.work.place === null ? null : "begin",
  };
  return [outcome, session.id];
}

/** Returns the events that a session starts with, the first message with what was delivered. */
function eventsWith(
  { initial_events: events }: DeploymentRow,
  work: HookEvent,
): DeploymentRow["initial_events"] {
  const first = events.findIndex(({ type }) => type === "user.message");
  return events.map((event, index) =>
    index === first && event.type === "user.message"
      ? { ...event, content: [...event.content, ...messageOf(work, true)] }
      : event,
  );
}

/**
 * Returns the resources of a session: those of the deployment, and the repository of the event if the deployment names
 * none. A named one without a checkout of its own is at the event's branch. One that names others does not work on this one: returns why.
 */
function resourcesFor(
  { repositoryHosts }: HandOnDeps,
  { resources }: DeploymentRow,
  connection: ConnectionRow | null,
  { repository, branch }: HookEvent,
): readonly DeploymentResource[] | string {
  if (repository === null) return resources;
  const named = resources.flatMap((resource) => ("url" in resource ? [resource.url] : []));
  const isOfEvent = (url: string) => isAt(url, connection) && nameIn(url) === repository.toLowerCase();
  const checkout = branch === null ? null : { type: "branch" as const, name: branch };
  if (named.length > 0)
    return named.some(isOfEvent)
      ? resources.map((one) =>
          "url" in one && "checkout" in one && isOfEvent(one.url)
            ? { ...one, checkout: one.checkout ?? checkout }
            : one,
        )
      : `The deployment works on other repositories than ${repository}.`;
  if (connection === null) return resources;
  const { url, id } = connection;
  const common = {
    ...{
      url: `${url}/${repository}`,
      mount_path: null,
      connection_id: formatId("connection", id),
      access: null,
    },
    ...{ checkout, environment: null },
  };
  const own: DeploymentResource = repositoryHosts.has(new URL(url).host)
    ? { type: "hosted_repository", ...common }
    : { type: "git_repository", ...common, username: null };
  return [...resources, own];
}

/** Whether an address is of the host that is asked. Without a connection, no host is. */
function isAt(url: string, connection: ConnectionRow | null): boolean {
  return connection === null || new URL(url).host === new URL(connection.url).host;
}

/** Returns the full name of the repository at an address, in lower case. */
function nameIn(url: string): string {
  return decodeURIComponent(new URL(url).pathname)
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "")
    .toLowerCase();
}

function auditEntryOf({ id, organization_id }: DeploymentRow, created?: string): AuditEntry {
  return {
    organizationId: organization_id,
    actor: { type: "service" },
    operation: "deployments trigger",
    resources: [formatId("deployment", id), ...(created === undefined ? [] : [created])],
    ...{ client: "berth", userAgent: null, requestId: null },
  };
}
