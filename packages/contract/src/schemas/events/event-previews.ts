import { z } from "zod";
import { idOf } from "../../conventions/fields.ts";

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
