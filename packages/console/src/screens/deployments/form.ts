import type { Deployment, DeploymentResource } from "@berth/sdk";
import { budgetTyped } from "../../format/money.ts";
import { changedFields, type Pair, pairsOf, patchOf, recordOf, repeated } from "../../format/pairs.ts";
import { FormFault } from "../../ui/use-save.ts";
import {
  dollarsOf,
  type Form,
  readVariables,
  placeOf as resourcePlaceOf,
  resourcesLike,
  resourcesOf,
  variablesLike,
} from "../new-session/form.ts";
import {
  boundsOf,
  type FollowBounds,
  followInput,
  placeOf as followPlaceOf,
} from "../session/pulls/follow-form.ts";
import { eventsOf, type MessageEntry, messageEntry, newMessage } from "./messages.ts";
import { emptySchedule, type ScheduleForm, scheduleFormOf, scheduleOf } from "./schedule-form.ts";

type OfSession =
  | "agentId"
  | "agentVersion"
  | "environmentId"
  | "repositories"
  | "files"
  | "vaultIds"
  | "stores"
  | "variables"
  | "budget";

export type DeploymentForm = Pick<Form, OfSession> & {
  /** The deployment as it was when the form was opened; null for a new one. */
  base: Deployment | null;
  name: string;
  description: string;
  schedule: ScheduleForm;
  /** Null if sessions do not follow their pull requests. */
  follow: FollowBounds | null;
  messages: MessageEntry[];
  /** Vaults that are given as resources, which the form keeps. */
  vaultResources: Extract<DeploymentResource, { type: "vault" }>[];
  metadata: Pair[];
};

/** @param timezone the browser's */
export function emptyForm(timezone: string): DeploymentForm {
  return {
    base: null,
    ...{ name: "", description: "", schedule: emptySchedule(timezone), messages: [newMessage()] },
    ...{ agentId: null, agentVersion: null, environmentId: null },
    ...{ repositories: [], files: [], stores: [], vaultResources: [], vaultIds: [] },
    ...{ variables: "", budget: "", follow: null, metadata: [] },
  };
}

/** Returns the form that produces this deployment, without its secrets. @param timezone the browser's */
export function formOf(deployment: Deployment, timezone: string): DeploymentForm {
  const { agent, resources } = deployment;
  return {
    base: deployment,
    name: deployment.name,
    description: deployment.description ?? "",
    schedule: scheduleFormOf(deployment.schedule, timezone),
    messages: deployment.initial_events.map(messageEntry),
    agentId: agent.id,
    agentVersion: agent.version,
    environmentId: deployment.environment_id,
    ...resourcesLike(resources),
    vaultResources: resources.filter((one) => one.type === "vault"),
    vaultIds: deployment.vault_ids,
    variables: variablesLike(deployment.environment_variables),
    budget: dollarsOf(deployment.budget),
    follow: deployment.follow === null ? null : boundsOf(deployment.follow),
    metadata: pairsOf(deployment.metadata),
  };
}

/** Returns the whole deployment as a request body. @throws FormFault for a repeated name */
export function bodyOf(form: DeploymentForm) {
  const { agentId, agentVersion: version, description, budget } = form;
  const twice = repeated(form.metadata);
  if (twice !== undefined) throw new FormFault(`metadata ${twice.key}`, "This name is already used.");
  const id = agentId ?? "";
  return {
    name: form.name.trim(),
    description: description.trim() === "" ? null : description.trim(),
    agent: version === null ? id : { type: "agent" as const, id, version },
    environment_id: form.environmentId ?? "",
    initial_events: eventsOf(form.messages),
    resources: [...resourcesOf(form), ...form.vaultResources],
    vault_ids: form.vaultIds,
    environment_variables: readVariables(form.variables),
    budget: budget.trim() === "" ? null : budgetTyped(budget),
    follow: form.follow === null ? null : followInput(form.follow),
    schedule: scheduleOf(form.schedule),
    metadata: recordOf(form.metadata),
  };
}

/**
 * Returns the fields that the form changes, compared with the deployment as it was when the form was opened. What
 * somebody else changed since then is kept, and so are tokens, as long as no resource changes.
 */
export function changeOf(deployment: Deployment, form: DeploymentForm) {
  const before = bodyOf(formOf(form.base ?? deployment, form.schedule.timezone));
  const { metadata, ...changed } = changedFields(before, bodyOf(form));
  return { ...changed, ...(metadata && { metadata: patchOf(before.metadata, metadata) }) };
}

/** Returns the form field that a fault belongs to, from the parameter that the service names. */
export function placeOf(param: string, form: DeploymentForm): string {
  const [, name] = /^metadata[.[]["']?(.*?)["']?\]?$/.exec(param) ?? [];
  const pair = form.metadata.find((one) => one.name.trim() === name);
  if (pair !== undefined) return `metadata ${pair.key}`;
  const [field = ""] = param.split(/[.[]/);
  if (field === "schedule") {
    const { kind } = form.schedule;
    return param === "schedule.expression" && kind !== "cron" ? "schedule" : param;
  }
  if (field === "initial_events") return "messages";
  if (field === "follow") return followPlaceOf(param);
  return param.startsWith("resources[") ? resourcePlaceOf(param, form) : field;
}
