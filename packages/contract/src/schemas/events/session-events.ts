import { z } from "zod";
import { BUDGET_SCOPES, budget, money } from "../../conventions/budgets.ts";
import { idOf, metadata, timestamp } from "../../conventions/fields.ts";
import { gitIdentity } from "../../conventions/git-identity.ts";
import { creator, sender } from "../../conventions/sender.ts";
import { TOOL_NAMES } from "../agents/agent-tools.ts";
import { devcontainerReading, runtimeChoice } from "../environments/runtimes.ts";
import { followEvents } from "./follow-events.ts";
import { confirmation } from "./input-events.ts";
import { messageBlock, resultBlock, textBlock } from "./message-content.ts";

/** The tokens of one model request, or of all requests of a session. */
export const modelUsage = z
  .strictObject({
    input_tokens: z.int().meta({ description: "Without tokens read from or written to the cache." }),
    output_tokens: z.int(),
    cache_read_input_tokens: z.int(),
    cache_creation_input_tokens: z.int(),
    cache_creation_1h_input_tokens: z.int().optional().meta({
      description:
        "The part of `cache_creation_input_tokens` that the provider keeps for an hour, at a higher price. Absent if it is 0.",
    }),
  })
  .meta({ id: "ModelUsage" });
export type ModelUsage = z.output<typeof modelUsage>;
export const NO_USAGE: ModelUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

/** Tokens of a session, and what they cost. */
export const sessionUsage = modelUsage
  .extend({
    list_cost: money.nullable().meta({
      description:
        "What was charged to budgets: each request at its model's list price at that time, and one whose end is not known at the most that it can have cost. Rounded up to a cent. Requests of services before version 0.2 are not in it. Null when the price of the session's model is not known.",
    }),
  })
  .meta({ id: "SessionUsage" });

/** Returns the usage field for tokens with a lifetime of an hour; no field when there are none. */
export function forHour(tokens: number): Pick<ModelUsage, "cache_creation_1h_input_tokens"> {
  return tokens > 0 ? { cache_creation_1h_input_tokens: tokens } : {};
}

/** The types of `session.error`. */
export const SESSION_ERROR_TYPES = [
  "unknown_error",
  "model_overloaded_error",
  "model_rate_limited_error",
  "model_request_failed_error",
  "model_authentication_error",
  "model_not_found_error",
  "sandbox_error",
  "mcp_connection_failed_error",
  "mcp_authentication_failed_error",
  "mcp_tools_left_out_error",
  "repository_authentication_error",
  "repository_forbidden_error",
  "repository_not_found_error",
  "repository_checkout_error",
  "repository_clone_error",
  "workspace_save_error",
  "outputs_error",
  "environment_error",
  "session_set_aside_error",
] as const;
export type SessionErrorType = (typeof SESSION_ERROR_TYPES)[number];

/** Why a turn ended, other than `requires_action`. */
const TURN_ENDS = ["end_turn", "retries_exhausted", "cancelled", "refusal", "max_turns"] as const;

/** The types of stop reasons. */
export const STOP_REASON_TYPES = [...TURN_ENDS, "requires_action", "budget_reached"] as const;

/** Why a turn ended. */
export const stopReason = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.enum(TURN_ENDS) }),
    z.strictObject({
      type: z.literal("requires_action"),
      event_ids: z.array(idOf("event")).meta({
        description:
          "The tool calls that are waiting: `agent.custom_tool_use` for a `user.custom_tool_result`, others for a `user.tool_confirmation`.",
      }),
    }),
    z.strictObject({
      type: z.literal("budget_reached"),
      scope: z.enum(BUDGET_SCOPES).meta({
        description:
          "The budget that has too little left for the next request: the session's own, or a limit of its user or organization, in all or for a day (UTC). The turn continues when it has more.",
      }),
    }),
  ])
  .meta({ id: "StopReason" });
export type StopReason = z.output<typeof stopReason>;

const evaluatedPermission = z.enum(["allow", "ask", "deny"]).meta({
  description: "`ask`: the call runs after a client allows it with a `user.tool_confirmation`.",
});

/** Who sent an event. */
const createdBy = {
  created_by: creator.optional().meta({
    description: "Who sent it. Absent if Berth itself did, and in events of version 0.1.",
  }),
};
/** The same, also as version 0.1 stored it. */
const sentBy = {
  ...createdBy,
  sent_by: sender.optional().meta({
    description: "Who sent it, in events of version 0.1. Later ones have `created_by`.",
  }),
};

/** The tool that a rule allows, and for Bash the commands. */
export const ruleScope = {
  tool_name: z.string(),
  mcp_server_name: z.string().nullable().meta({ description: "Null for a tool of Berth itself." }),
  command_prefix: z.string().nullable().meta({
    description:
      "The words with which commands of Bash begin. Null if the rule allows all calls of the tool.",
  }),
};

const allowedByRule = {
  confirmation_rule: z
    .strictObject({
      id: idOf("confirmation_rule"),
      command_prefix: ruleScope.command_prefix,
      created_by: creator,
    })
    .optional()
    .meta({
      description:
        "The session's rule that allowed the call, and who made it. Absent unless it would have waited for a confirmation otherwise.",
    }),
};

const stored = {
  id: idOf("event"),
  created_at: timestamp,
  processed_at: timestamp
    .nullable()
    .meta({ description: "When the agent processed the event. Null while it is pending." }),
};

/** The fields of events of a nested loop. */
const nested = {
  parent_tool_use_id: idOf("event").optional().meta({
    description:
      "The `agent.tool_use` of the Explore call to whose own loop this event belongs. The agent sees only the result of that call. Absent for events of the agent itself.",
  }),
};

const learnedWindow = z.int().optional().meta({
  description:
    "The model's actual context window in tokens, if it is smaller than the configured one. The session uses it from here on. Absent if nothing was learned.",
});

/** Content that can be left out of a model's history. */
export const OMITTED_TYPES = [
  "text",
  "image",
  "document",
  "thinking",
  "tool_use",
  "tool_result",
  "tool",
  "message",
] as const;

function event<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.strictObject({ ...stored, type: z.literal(type), ...shape });
}

/**
 * Every event of a session's log, and `session.deleted`, which is only in a stream, since the log is then
 * deleted. A stored event never changes, except for `processed_at` of inputs.
 */
export const sessionEvent = z
  .discriminatedUnion("type", [
    event("user.message", { content: z.array(messageBlock), ...createdBy }),
    event("user.interrupt", sentBy),
    event("system.message", { content: z.array(textBlock), ...createdBy }),
    event("user.tool_confirmation", { ...confirmation, ...sentBy }),
    event("user.custom_tool_result", {
      custom_tool_use_id: idOf("event"),
      content: z.array(resultBlock),
      is_error: z.boolean(),
      ...sentBy,
    }),
    event("agent.message", { content: z.array(textBlock), ...nested }),
    event("agent.thinking", nested),
    event("agent.tool_use", {
      name: z.string().meta({
        description: `One of ${TOOL_NAMES.join(", ")}, or an unknown name from the model, whose call was denied.`,
      }),
      input: z.record(z.string(), z.unknown()),
      evaluated_permission: evaluatedPermission,
      ...allowedByRule,
      ...nested,
    }),
    event("agent.tool_result", {
      tool_use_id: idOf("event").meta({
        description:
          "The `agent.tool_use`, or an `agent.custom_tool_use` that was interrupted and will have no result from a client.",
      }),
      content: z.array(resultBlock),
      is_error: z.boolean(),
      ...nested,
    }),
    event("agent.mcp_tool_use", {
      mcp_server_name: z.string(),
      name: z.string(),
      input: z.record(z.string(), z.unknown()),
      evaluated_permission: evaluatedPermission,
      ...allowedByRule,
    }),
    event("agent.mcp_tool_result", {
      mcp_tool_use_id: idOf("event"),
      content: z.array(resultBlock),
      is_error: z.boolean(),
    }),
    event("agent.custom_tool_use", {
      name: z.string(),
      input: z.record(z.string(), z.unknown()),
    }),
    event("agent.context_compacted", {
      input_tokens_before: z.int(),
      input_tokens_after: z.int(),
      context_window: learnedWindow,
      ...nested,
    }),
    event("agent.content_omitted", {
      reason: z.string().meta({ description: "The reason, as the model's provider responded." }),
      omitted: z.array(
        z.strictObject({
          type: z.enum(OMITTED_TYPES).meta({
            description:
              "`tool`: the definition of a tool. `message`: everything before the newest message of the user, or of a request that was too large the oldest messages. `tool_use`: the input of a call. Others: blocks of messages.",
          }),
          count: z.int().min(1),
          names: z.array(z.string()).optional().meta({ description: "Of tools." }),
        }),
      ),
      context_window: learnedWindow,
      ...nested,
    }),
    event("session.status_running", {}),
    event("session.status_idle", { stop_reason: stopReason }),
    event("session.status_rescheduled", {
      retry_at: timestamp.optional().meta({
        description:
          "When the model is asked again, after a temporary failure. The session is running again when the following request is answered. Absent if the session waits for something else, such as the service that has its disk.",
      }),
      reason: z.string().optional().meta({
        description:
          "Why a call waits for the container, in the words of the cluster, such as a scheduler that finds no node or a registry that does not respond. Reported again when it changes. The session is running again with `session.container_started`, or when the following request is answered. Absent if the session waits for something else.",
      }),
    }),
    event("session.status_terminated", {}),
    event("session.updated", {
      title: z.string().optional(),
      metadata: metadata
        .optional()
        .meta({ description: "All pairs after the change. Absent if none changed." }),
      git_identity: gitIdentity
        .nullable()
        .optional()
        .meta({ description: "After the change. Absent if it is the same." }),
      budget: budget
        .nullable()
        .optional()
        .meta({ description: "After the change. Absent if it is the same." }),
    }),
    event("session.usage", {
      usage: sessionUsage.meta({ description: "Of the session so far." }),
      budget,
    }),
    event("session.confirmation_rule_added", {
      confirmation_rule_id: idOf("confirmation_rule"),
      ...ruleScope,
      tool_use_id: idOf("event").optional().meta({
        description: "The call whose confirmation added the rule. Absent if the rule was created by itself.",
      }),
      created_by: creator,
    }),
    event("session.confirmation_rule_removed", {
      confirmation_rule_id: idOf("confirmation_rule"),
      ...ruleScope,
      created_by: creator,
    }),
    event("session.follow_started", followEvents.started),
    event("session.follow_handed_over", followEvents.handedOver),
    event("session.follow_stopped", followEvents.stopped),
    event("session.deleted", {}),
    event("session.error", {
      error: z.strictObject({
        type: z.enum(SESSION_ERROR_TYPES),
        message: z.string(),
        retry_status: z.strictObject({
          type: z.enum(["retrying", "exhausted", "terminal"]).meta({
            description:
              "`retrying`: retried soon, automatically. `exhausted`: all attempts failed; a clone is retried in each later turn. `terminal`: retried only when something about it changes, or on request.",
          }),
        }),
        resource_id: idOf("session_resource").optional(),
        mcp_server_name: z.string().optional(),
      }),
      ...nested,
    }),
    event("session.environment_progress", {
      phase: z
        .enum(["system", "runtimes", "apt_packages", "npm_packages", "pip_packages", "setup_script"])
        .meta({
          description:
            "What the container needs before it can start: `system`, the operating system, built once per installation; `runtimes`, the versions that the environment chose; the packages of a package manager; the result of the setup script. Each is built once and reused by later sessions.",
        }),
      seconds: z.number().nullable().meta({
        description:
          "Null when the wait starts; waits of less than a second are not reported. Otherwise the wait is over, after this time, whether the build succeeded or not; a failure is a `session.error` of type `environment_error`. If the process dies, the end of its wait is missing, and the next process reports a new wait.",
      }),
    }),
    event("session.runtimes_chosen", runtimeChoice),
    event("session.devcontainer_read", devcontainerReading),
    event("session.container_started", {
      seconds: z.number(),
      waited_seconds: z.number().optional().meta({
        description:
          "The part of that time in which it waited for a node or its image. Absent unless a `session.status_rescheduled` reported it.",
      }),
      restored: z.strictObject({ saved_at: timestamp, seconds: z.number() }).optional().meta({
        description:
          "The save from which its new disk was created: its time, and how long the restore took. Absent for other disks.",
      }),
      lowered_limits: z
        .strictObject({ cpus: z.number(), memory_mb: z.int(), pids: z.int(), disk_mb: z.int() })
        .partial()
        .optional()
        .meta({
          description:
            "Limits of the container that are lower than in the `resources` of its environment, because the operator allows no more. Absent if there are none.",
        }),
    }),
    event("session.container_reclaimed", {
      reason: z.enum(["inactivity", "drained", "lost"]).meta({
        description:
          "Why the container and its disk were removed: the session was inactive, the operator drained their host, or the disk was lost. The next event creates new ones. Files below /mnt/session/outputs were saved as Files if they could be read.",
      }),
      save: z
        .strictObject({
          saved_at: timestamp,
          lost_calls: z.int().min(0).meta({
            description:
              "Number of tool calls that began after the save: their changes of the disk are lost. 0: no changes of tool calls are lost.",
          }),
        })
        .optional()
        .meta({
          description:
            "The save (`BERTH_WORKSPACE_SAVES`) from which the new disk is created. Absent if nothing was saved: the new disk is empty, and repositories are cloned again.",
        }),
    }),
    event("session.events_deleted", {
      reason: z.enum(["retention"]).meta({
        description:
          "Why the events before this one were deleted: the session ended longer ago than its organization keeps events.",
      }),
    }),
    event("session.resource_progress", {
      resource_id: idOf("session_resource"),
      phase: z.enum(["waiting", "counting", "receiving", "resolving", "checking_out", "setting_up"]).meta({
        description:
          "The current step: git's, or `setting_up` while the environment's `repository_setup_script` runs.",
      }),
      percent: z.number().min(0).max(100).nullable(),
    }),
    event("session.resource_ready", {
      resource_id: idOf("session_resource"),
      seconds: z.number(),
      commit: z
        .string()
        .optional()
        .meta({ description: "For a repository: the commit that is checked out." }),
      note: z.string().optional().meta({
        description:
          "What is missing, such as files of Git LFS that are still pointers. Absent if nothing is missing.",
      }),
      snapshot_error: z.string().optional().meta({
        description:
          "For a repository that was cloned: why no snapshot could be built from it before, such as an object that fails git's check. Absent if one can be built, or none was tried yet.",
      }),
    }),
    event("session.egress_denied", {
      host: z
        .string()
        .meta({ description: "The destination: a host name, or an IP address if the command used one." }),
      port: z.int().nullable().meta({ description: "Null if the name was blocked when it was looked up." }),
      reason: z.string().meta({
        description:
          "`not_allowed`, `private_address`, `unresolvable`, `name_mismatch`, `no_server_name` or `unknown_protocol`.",
      }),
    }),
    event("span.model_request_start", { model: z.string(), ...nested }),
    event("span.model_request_end", {
      model_request_start_id: idOf("event"),
      is_error: z.boolean(),
      model_usage: modelUsage.nullable(),
      ...nested,
    }),
  ])
  .meta({ id: "SessionEvent" });
export type SessionEvent = z.output<typeof sessionEvent>;
export type SessionEventType = SessionEvent["type"];
export type EventOf<Type extends SessionEventType> = Extract<SessionEvent, { type: Type }>;

/** An event before it is stored: the log adds `id`, `created_at` and, except for inputs, `processed_at`. */
export type NewEvent = SessionEvent extends infer E
  ? E extends SessionEvent
    ? Omit<E, "id" | "created_at" | "processed_at">
    : never
  : never;

export const SESSION_EVENT_TYPES = sessionEvent.options.map((option) => option.shape.type.value) as [
  SessionEventType,
  ...SessionEventType[],
];
