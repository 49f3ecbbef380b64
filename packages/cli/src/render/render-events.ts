import type { SessionEvent, SessionResource, StreamFrame } from "@berth/sdk";
import { columnsOf, isTerminal, type Output, paletteFor } from "../terminal/palette.ts";
import { Screen } from "../terminal/screen.ts";
import type { Call } from "./activity.ts";
import { LiveMessages } from "./live-messages.ts";
import { noOutcome, type Outcome, outcomeAfter } from "./outcome.ts";
import { Transcript } from "./transcript.ts";

export interface RenderOptions {
  /** The session's resources, to name them in progress and errors. */
  resources?: readonly SessionResource[];
  /** Calls of before that get their results in these events. */
  waiting?: readonly Call[];
}

/**
 * Prints events as they come, as a person reads a session: messages, tool calls with the first lines of their results, how
 * cloning goes, errors, how the turn ended and its cost in tokens. Colours and a status line that is overwritten in place only
 * where `output` is a terminal. Messages of which previews come (`previewsFor`) are shown as they are written. Resolves when the events end; says how it ended.
 */
export async function renderEvents(
  frames: AsyncIterable<StreamFrame>,
  output: Output = process.stdout,
  { resources = [], waiting = [] }: RenderOptions = {},
): Promise<Outcome> {
  const palette = paletteFor(output);
  const live = isTerminal(output);
  const transcript = new Transcript({
    palette,
    width: live ? columnsOf(output) : 160,
    live,
    resources,
    waiting,
  });
  const screen = new Screen(output, palette, () => transcript.status(Date.now()));
  const messages = new LiveMessages(screen);
  let outcome = noOutcome;
  try {
    for await (const frame of frames) {
      if (frame.type === "event_start" || frame.type === "event_delta") messages.preview(frame);
      else {
        outcome = outcomeAfter(outcome, frame);
        if (endsAnswer(frame) && messages.drop()) screen.print(transcript.cutOff());
        const block = messages.take(frame) ? null : transcript.take(frame);
        if (block !== null) screen.print(block);
      }
      screen.refresh();
    }
  } finally {
    const rest = transcript.rest();
    if (rest !== null) screen.print(rest);
    screen.close();
  }
  return outcome;
}

/** What to ask a stream for as `event_deltas`, so that messages show as they are written: nothing but at a terminal. */
export function previewsFor(output: Output): "agent.message"[] {
  return isTerminal(output) ? ["agent.message"] : [];
}

/** Whether what the model was writing and is not stored by then never will be. */
function endsAnswer({ type }: SessionEvent): boolean {
  return (
    type === "span.model_request_end" ||
    type === "session.status_idle" ||
    type === "session.status_terminated"
  );
}
