import type { IdKind } from "../conventions/ids.ts";

/**
 * Every event that webhooks can hear of. `session.failed`: a turn was given up, or a repository could not be
 * cloned. `deployment_run.succeeded`: its session ended a turn with `end_turn` for the first time. Those of pull requests come as the host of the repository tells of them.
 *
 * A trigger tells each; docs/decisions/0067-webhooks.md says how to add one.
 */
export const WEBHOOK_EVENTS = [
  "session.created",
  "session.updated",
  "session.status_run_started",
  "session.status_idled",
  "session.requires_action",
  "session.failed",
  "session.budget_reached",
  "session.status_rescheduled",
  "session.status_terminated",
  "session.archived",
  "session.deleted",
  "pull_request.opened",
  "pull_request.updated",
  "pull_request.merged",
  "pull_request.closed",
  "deployment.created",
  "deployment.updated",
  "deployment.paused",
  "deployment.unpaused",
  "deployment.archived",
  "deployment_run.started",
  "deployment_run.succeeded",
  "deployment_run.failed",
  "agent.created",
  "agent.updated",
  "agent.archived",
  "agent.deleted",
  "environment.created",
  "environment.updated",
  "environment.archived",
  "environment.deleted",
  "vault.created",
  "vault.updated",
  "vault.archived",
  "vault.deleted",
  "vault_credential.created",
  "vault_credential.updated",
  "vault_credential.archived",
  "vault_credential.deleted",
  "memory_store.created",
  "memory_store.updated",
  "memory_store.archived",
  "memory_store.deleted",
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** What `test` sends. Nobody has to enable it. */
export const WEBHOOK_TEST = "webhook.test";

/** Whose id an event has, where that is not the kind in its type. */
const KINDS: Readonly<Record<string, IdKind>> = { pull_request: "session" };

/** Returns the kind of the id in an event of a type. */
export function kindOfEvent(type: string): IdKind {
  const [noun = ""] = type.split(".");
  return KINDS[noun] ?? (noun as IdKind);
}
