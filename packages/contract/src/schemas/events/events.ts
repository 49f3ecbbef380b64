import { z } from "zod";
import { idOf } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { inputEvents } from "./input-events.ts";
import { SESSION_EVENT_TYPES, sessionEvent } from "./session-events.ts";

/**
 * What a stream shows of an event before it is stored, for readers that ask for it. Never stored, in no list, without an
 * `id` line of the stream: `Last-Event-ID` stays with what is stored.
 */
export const previewedType = z.enum(["agent.message", "agent.thinking"]);
export type PreviewedType = z.output<typeof previewedType>;

/**
 * An event is being written. It follows under the same id, unless its request fails: then `span.model_request_end` says
 * so, and what was shown is void. Of `agent.thinking` nothing more is shown.
 */
export const eventStart = z
  .strictObject({
    type: z.literal("event_start"),
    event: z.strictObject({ type: previewedType, id: idOf("event") }),
  })
  .meta({ id: "EventStart" });
export type EventStart = z.output<typeof eventStart>;

/** The next piece of an event that was started. All pieces of an event that came are, in their order, its text. */
export const eventDelta = z
  .strictObject({
    type: z.literal("event_delta"),
    event_id: idOf("event"),
    delta: z.strictObject({
      type: z.literal("content_delta"),
      index: z.int().meta({ description: "Of the block in the event's content." }),
      content: z.strictObject({ type: z.literal("text"), text: z.string() }),
    }),
  })
  .meta({ id: "EventDelta" });
export type EventDelta = z.output<typeof eventDelta>;

/** What a stream has: events of the log, each with its id, and without one what is shown beforehand. */
export const streamFrame = z.discriminatedUnion("type", [...sessionEvent.options, eventStart, eventDelta]);

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
    response: streamFrame,
  }),
};
