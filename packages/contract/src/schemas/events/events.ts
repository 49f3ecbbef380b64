import { z } from "zod";
import { idOf } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { inputEvents } from "./input-events.ts";
import { SESSION_EVENT_TYPES, sessionEvent } from "./session-events.ts";

/** Events that a stream shows on request while the model writes them. */
const writtenType = z.enum(["agent.message", "agent.thinking"]);

/**
 * The previews that a stream shows on request before an event is stored. Previews are never stored and in no
 * list, and have no `id` line in the stream, so that `Last-Event-ID` always names a stored event.
 */
export const previewedType = z.enum([...writtenType.options, "agent.tool_output"]);
export type PreviewedType = z.output<typeof previewedType>;

/**
 * Sent when the model starts to write an event. The event follows with the same id, unless the request to the
 * model fails: then `span.model_request_end` has `is_error`, and the preview is void. `agent.thinking` has no
 * deltas.
 */
export const eventStart = z
  .strictObject({
    type: z.literal("event_start"),
    event: z.strictObject({ type: writtenType, id: idOf("event") }),
  })
  .meta({ id: "EventStart" });
export type EventStart = z.output<typeof eventStart>;

/** The next piece of a started event. In order, the pieces make up its text. */
export const eventDelta = z
  .strictObject({
    type: z.literal("event_delta"),
    event_id: idOf("event"),
    delta: z.strictObject({
      type: z.literal("content_delta"),
      index: z.int().meta({ description: "The index of the block in the event's content." }),
      content: z.strictObject({ type: z.literal("text"), text: z.string() }),
    }),
  })
  .meta({ id: "EventDelta" });
export type EventDelta = z.output<typeof eventDelta>;

/**
 * Output of a running command, standard output and error together. The result of its call follows and has all
 * of it, or its beginning and end. It may precede the event of the call, and never follows the result.
 */
export const toolOutput = z
  .strictObject({
    type: z.literal("agent.tool_output"),
    tool_use_id: idOf("event").meta({ description: "The `agent.tool_use` that runs the command." }),
    offset: z.int().min(0).meta({
      description:
        "Where the text begins in the output: UTF-16 units of the text before it, plus bytes of omitted output. If it is greater than `offset` plus the length of the previous piece, the output in between was omitted, because the command prints too fast, the reader is too slow, or it was printed before the stream was opened.",
    }),
    text: z.string(),
  })
  .meta({ id: "ToolOutput" });
export type ToolOutput = z.output<typeof toolOutput>;

/** A frame of a stream: an event of the log, with an `id` line, or a requested preview, without one. */
export const streamFrame = z.discriminatedUnion("type", [
  ...sessionEvent.options,
  eventStart,
  eventDelta,
  toolOutput,
]);

const sessionParams = z.strictObject({ session_id: z.string() });

export const eventRoutes = {
  send: defineRoute(operations.events.send, {
    params: sessionParams,
    body: z.strictObject({ events: inputEvents.min(1) }),
    response: z.strictObject({ data: z.array(sessionEvent) }),
  }),
  list: defineRoute(operations.events.list, {
    params: sessionParams,
    query: listQuery("event", {
      "types[]": z.array(z.enum(SESSION_EVENT_TYPES)).optional(),
      order: z
        .enum(["asc", "desc"])
        .optional()
        .transform((order) => order ?? "asc"),
    }),
    response: pageOf(sessionEvent),
  }),
  stream: defineRoute(operations.events.stream, {
    params: sessionParams,
    query: z.strictObject({
      from: z.literal("start").optional().meta({ description: "Start with the whole log." }),
      after_id: idOf("event").optional().meta({
        description: "Start after this event. The header `Last-Event-ID` does the same and takes precedence.",
      }),
      "event_deltas[]": z.array(previewedType).max(100).optional().meta({
        description:
          "What to preview: `agent.message` and `agent.thinking`, as `event_start` and `event_delta` while the model writes them; `agent.tool_output`, what a command prints while it runs.",
      }),
    }),
    response: streamFrame,
  }),
};
