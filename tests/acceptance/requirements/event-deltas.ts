import type { Requirement } from "./requirement.ts";

/** Rules for previews of events that are not stored yet. */
export const eventDeltaRequirements: readonly Requirement[] = [
  {
    id: "event-deltas",
    source: "api 4",
    rule: "event_deltas[]=agent.message adds event_start and event_delta frames to a stream while the model writes: they have no ids and are in no list, and together are the text of the event, which follows under the announced id unless its request fails.",
  },
  {
    id: "event-deltas-kinds",
    source: "api 4",
    rule: "event_deltas[] accepts agent.message, agent.thinking and agent.tool_output; any other name is rejected with 400.",
  },
  {
    id: "tool-output",
    source: "issue 26, 5",
    rule: "event_deltas[]=agent.tool_output adds agent.tool_output frames to a stream while a command runs: they name the call, come in order with the place of their text in the output, without ids, and in no list. A stream that is opened while the command runs begins with the newest of what was printed. None comes after the call's result, and a stream that did not ask has none. The result is the same with and without them.",
  },
  {
    id: "tool-output-bounds",
    source: "issue 26, 5",
    rule: "Of a flood of output, a stream has at most 8 KiB four times a second, the offsets tell what was left out, and turns of other sessions go on meanwhile.",
  },
  {
    id: "tool-output-masked",
    source: "issue 26, 5",
    rule: "A secret in what a command prints is masked in agent.tool_output frames, also when it is printed in pieces.",
  },
  {
    id: "tool-output-interrupted",
    source: "issue 26, 5",
    rule: "What a command printed before it was interrupted is in its result. When the process that ran it died, its result has what was printed until some seconds before, the beginning and the end of it, without secrets.",
  },
];
