import { z } from "zod";
import { toolNames } from "./agents.ts";
import { answerTypes, confirmation, customToolResult, toolConfirmation } from "./answers.ts";
import { gatedKind } from "./beta.ts";
import { eventDelta, eventStart, previewedType } from "./event-previews.ts";
import { givenContent, givenText, messageBlock, textBlock } from "./message-content.ts";
import { operations } from "./operations.ts";
import { listQuery, pageOf } from "./page.ts";
import { defineRoute } from "./route.ts";
import { idOf, kindsBy, metadata, timestamp } from "./schema.ts";

export const imageBlock = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
});
export const resultBlock = z.discriminatedUnion("type", [textBlock, imageBlock]);
export type ResultBlock = z.output<typeof resultBlock>;

const userMessage = z.strictObject({ type: z.literal("user.message"), content: givenContent });
const userInterrupt = z.strictObject({ type: z.literal("user.interrupt") });
const systemMessage = z.strictObject({
  type: z.literal("system.message"),
  content: z.array(givenText).min(1),
});

const later = ["user.define_outcome"];

/** An event that a client may send. */
export const inputEvent = gatedKind(
  "outcomes",
  "type",
  "user.define_outcome",
  kindsBy("type", [userMessage, userInterrupt, toolConfirmation, customToolResult, systemMessage], later),
);
export type InputEvent = z.output<typeof inputEvent>;

/** What is sent at once: all or none. */
export const inputEvents = z.array(inputEvent).max(50).superRefine(systemMessageLast);

/** What a session begins with: nothing waits for an answer yet. */
export const initialEvents = z
  .array(kindsBy("type", [userMessage, userInterrupt, systemMessage], [...answerTypes, ...later]))
  .max(50)
  .superRefine(systemMessageLast);

/** A `system.message` is for what stands before it, so that it comes last. */
function systemMessageLast(events: readonly InputEvent[], context: z.RefinementCtx): void {
  const place = events.findIndex((event) => event.type === "system.message");
  if (place === -1 || place === events.length - 1) return;
  const message = "A 'system.message' may be there once, as the last of the events.";
  context.addIssue({ code: "custom", path: [place, "type"], message });
}

export const modelUsage = z
  .strictObject({
    input_tokens: z.int().meta({ description: "Without those that were read from or written to the cache." }),
    output_tokens: z.int(),
    cache_read_input_tokens: z.int(),
    cache_creation_input_tokens: z.int(),
  })
  .meta({ id: "ModelUsage" });
export type ModelUsage = z.output<typeof modelUsage>;

export const stopReason = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.enum(["end_turn", "retries_exhausted", "cancelled", "refusal", "max_turns"]) }),
    z.strictObject({
      type: z.literal("requires_action"),
      event_ids: z.array(idOf("event")).meta({
        description:
          "The calls that wait: for a `user.tool_confirmation`, or an `agent.custom_tool_use` for a `user.custom_tool_result`.",
      }),
    }),
  ])
  .meta({ id: "StopReason" });
export type StopReason = z.output<typeof stopReason>;

export const sessionErrorTypes = [
  "unknown_error",
  "model_overloaded_error",
  "model_rate_limited_error",
  "model_request_failed_error",
  "model_authentication_error",
  "model_not_found_error",
  "sandbox_error",
  "mcp_connection_failed_error",
  "mcp_authentication_failed_error",
  "repository_authentication_error",
  "repository_forbidden_error",
  "repository_not_found_error",
  "repository_checkout_error",
  "repository_clone_error",
  "outputs_error",
] as const;
export type SessionErrorType = (typeof sessionErrorTypes)[number];

const evaluatedPermission = z.enum(["allow", "ask", "deny"]).meta({
  description: "`ask`: it runs when a client has allowed it with a `user.tool_confirmation`.",
});

const stored = {
  id: idOf("event"),
  created_at: timestamp,
  processed_at: timestamp
    .nullable()
    .meta({ description: "When the agent took it in; null while an input waits." }),
};

function event<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.strictObject({ ...stored, type: z.literal(type), ...shape });
}

/**
 * Every event of a session's log, and `session.deleted`, which only a stream has: the log is gone by then. Closed, and
 * never edited once stored but for `processed_at` of inputs.
 */
export const sessionEvent = z
  .discriminatedUnion("type", [
    event("user.message", { content: z.array(messageBlock) }),
    event("user.interrupt", {}),
    event("system.message", { content: z.array(textBlock) }),
    event("user.tool_confirmation", confirmation),
    event("user.custom_tool_result", {
      custom_tool_use_id: idOf("event"),
      content: z.array(resultBlock),
      is_error: z.boolean(),
    }),
    event("agent.message", { content: z.array(textBlock) }),
    event("agent.thinking", {}),
    event("agent.tool_use", {
      name: z
        .string()
        .meta({ description: `One of ${toolNames.join(", ")}, or what a model made up and was refused.` }),
      input: z.record(z.string(), z.unknown()),
      evaluated_permission: evaluatedPermission,
    }),
    event("agent.tool_result", {
      tool_use_id: idOf("event").meta({
        description:
          "Of an `agent.tool_use`, or of an `agent.custom_tool_use` to which no client's result will come: the turn was interrupted.",
      }),
      content: z.array(resultBlock),
      is_error: z.boolean(),
    }),
    event("agent.mcp_tool_use", {
      mcp_server_name: z.string(),
      name: z.string(),
      input: z.record(z.string(), z.unknown()),
      evaluated_permission: evaluatedPermission,
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
    event("agent.context_compacted", { input_tokens_before: z.int(), input_tokens_after: z.int() }),
    event("session.status_running", {}),
    event("session.status_idle", { stop_reason: stopReason }),
    event("session.status_rescheduled", {}),
    event("session.status_terminated", {}),
    event("session.updated", {
      title: z.string().optional(),
      metadata: metadata
        .optional()
        .meta({ description: "All pairs, as they are now. Absent when none changed." }),
    }),
    event("session.deleted", {}),
    event("session.error", {
      error: z.strictObject({
        type: z.enum(sessionErrorTypes),
        message: z.string(),
        retry_status: z.strictObject({ type: z.enum(["retrying", "exhausted", "terminal"]) }),
        resource_id: idOf("session_resource").optional(),
        mcp_server_name: z.string().optional(),
      }),
    }),
    event("session.container_started", { seconds: z.number() }),
    event("session.container_reclaimed", {
      reason: z.enum(["inactivity", "lost"]).meta({
        description:
          "The container and its disk are gone, after a time without activity or because the disk was lost. The next event sets them up anew; files below /mnt/session/outputs were kept as Files when they could be read.",
      }),
    }),
    event("session.resource_progress", {
      resource_id: idOf("session_resource"),
      phase: z.enum(["waiting", "counting", "receiving", "resolving", "checking_out"]),
      percent: z.number().min(0).max(100).nullable(),
    }),
    event("session.resource_ready", {
      resource_id: idOf("session_resource"),
      seconds: z.number(),
      commit: z.string().optional().meta({ description: "Of a repository: the commit that is checked out." }),
    }),
    event("session.egress_denied", { host: z.string(), port: z.int().nullable(), reason: z.string() }),
    event("span.model_request_start", { model: z.string() }),
    event("span.model_request_end", {
      model_request_start_id: idOf("event"),
      is_error: z.boolean(),
      model_usage: modelUsage.nullable(),
    }),
  ])
  .meta({ id: "SessionEvent" });
export type SessionEvent = z.output<typeof sessionEvent>;
export type SessionEventType = SessionEvent["type"];
export type EventOf<Type extends SessionEventType> = Extract<SessionEvent, { type: Type }>;

/** An event before it is stored: the log gives it `id`, `created_at` and, unless it is an input, `processed_at`. */
export type NewEvent = SessionEvent extends infer E
  ? E extends SessionEvent
    ? Omit<E, "id" | "created_at" | "processed_at">
    : never
  : never;

/** What a stream has: events of the log, each with its id, and without one what is shown beforehand. */
export const streamFrame = z.discriminatedUnion("type", [...sessionEvent.options, eventStart, eventDelta]);

export const sessionEventTypes = sessionEvent.options.map((option) => option.shape.type.value) as [
  SessionEventType,
  ...SessionEventType[],
];

const sessionParams = z.strictObject({ session_id: z.string() });

export const eventRoutes = {
  send: defineRoute(operations.events.send, {
    params: sessionParams,
    query: z.strictObject({}),
    body: z.strictObject({ events: inputEvents.min(1) }),
    answer: z.strictObject({ data: z.array(sessionEvent) }),
  }),
  list: defineRoute(operations.events.list, {
    params: sessionParams,
    query: listQuery("event", {
      "types[]": z.array(z.enum(sessionEventTypes)).optional(),
      order: z
        .enum(["asc", "desc"])
        .optional()
        .transform((order) => order ?? "asc"),
    }),
    body: z.undefined(),
    answer: pageOf(sessionEvent),
  }),
  stream: defineRoute(operations.events.stream, {
    params: sessionParams,
    query: z.strictObject({
      from: z.literal("start").optional().meta({ description: "Replay the whole log first." }),
      after_id: idOf("event")
        .optional()
        .meta({ description: "As the header `Last-Event-ID`, which wins over it." }),
      "event_deltas[]": z
        .array(previewedType)
        .max(100)
        .optional()
        .meta({ description: "Kinds of events that are shown while the model writes them." }),
    }),
    body: z.undefined(),
    answer: streamFrame,
  }),
};
