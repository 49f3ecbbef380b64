import type { Requirement } from "./requirement.ts";

/** Previews of events that are not stored yet. */
export const eventDeltaRequirements: readonly Requirement[] = [
  {
    id: "event-deltas",
    source: "api 4",
    rule: "event_deltas[]=agent.message adds event_start and event_delta frames to a stream while the model writes: they have no ids and are in no list, and together are the text of the event, which follows under the announced id unless its request fails.",
  },
  {
    id: "event-deltas-kinds",
    source: "api 4",
    rule: "event_deltas[] accepts agent.message and agent.thinking; any other name is rejected with 400.",
  },
];
