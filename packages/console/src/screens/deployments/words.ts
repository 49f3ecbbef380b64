import type { Deployment, DeploymentRun } from "@berth/sdk";
import { formatSlot } from "../../format/time.ts";

type RunErrorType = NonNullable<DeploymentRun["error"]>["type"];

/** What each error of a run is, as the end of a sentence too. */
const ERRORS: Readonly<Record<RunErrorType, string>> = {
  agent_not_found_error: "the agent is gone or no longer shared with its owner",
  agent_archived_error: "the agent is archived",
  environment_not_found_error: "the environment is gone or no longer shared with its owner",
  environment_archived_error: "the environment is archived",
  vault_not_found_error: "a vault is gone or no longer shared with its owner",
  vault_archived_error: "a vault is archived",
  file_not_found_error: "a file is gone or no longer shared with its owner",
  memory_store_not_found_error: "a memory store is gone or no longer shared with its owner",
  memory_store_archived_error: "a memory store is archived",
  skill_not_found_error: "a skill of the agent is gone",
  connection_not_found_error: "a connection is gone",
  owner_disabled_error: "its owner is disabled",
  session_creation_rejected_error: "the session was rejected",
  session_rate_limited_error: "a limit of its owner was reached",
  unknown_error: "the service failed",
  missed: "no service began it in time",
};

/** Returns why a run created no session, as a short sentence. A newer service may have other errors. */
export function errorWords(type: RunErrorType): string {
  const words = (ERRORS as Partial<typeof ERRORS>)[type] ?? type.replaceAll("_", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** Returns why a deployment is paused, as a sentence; null while it is active. */
export function pausedSentence({ paused_reason: reason }: Pick<Deployment, "paused_reason">): string | null {
  if (reason === null) return null;
  if (reason.type === "manual") return "Paused by hand.";
  const { type } = reason.error;
  const cause = ERRORS[type];
  return type === "owner_disabled_error"
    ? `Paused, since ${cause}.`
    : `Paused after five runs in a row failed: ${cause}.`;
}

/** Returns what a run began by. A newer service may have other kinds. */
export function triggerWords(context: DeploymentRun["trigger_context"]): string {
  if (context.type === "schedule") return `Schedule, ${formatSlot(context.scheduled_at)}`;
  return context.type === "manual" ? "By hand" : (context as { type: string }).type.replaceAll("_", " ");
}
