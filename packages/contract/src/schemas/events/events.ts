import { z } from "zod";
import { idOf } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { eventDelta, eventStart, previewedType } from "./event-previews.ts";
import { inputEvents } from "./input-events.ts";
import { sessionEvent, sessionEventTypes } from "./session-events.ts";

/** What a stream has: events of the log, each with its id, and without one what is shown beforehand. */
export const streamFrame = z.discriminatedUnion("type", [...sessionEvent.options, eventStart, eventDelta]);

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
