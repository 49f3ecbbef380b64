import { parentCallOf, type SessionEvent, type SessionResource, type StreamFrame } from "@berth/sdk";
import { columnsOf, isTerminal, type Output, paletteFor } from "../terminal/palette.ts";
import { Screen } from "../terminal/screen.ts";
import type { Call } from "./activity.ts";
import { LiveMessages } from "./live-messages.ts";
import { noOutcome, type Outcome, outcomeAfter } from "./outcome.ts";
import { Transcript } from "./transcript.ts";

export interface RenderOptions {
  /** The session's resources, by which progress and errors are named. */
  resources?: readonly SessionResource[];
  /** Earlier calls whose results are among the events. */
  waiting?: readonly Call[];
}

/**
 * Prints events for people as they arrive: messages, tool calls with the first lines of their results, clone
 * progress, errors, and the end of the turn with its tokens. A terminal gets colours and a status line. If
 * `frames` has previews (`previewsFor`), it also shows messages while they are written and the last lines of
 * a running command's output. Resolves with the outcome when the events end.
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
      else if (frame.type === "agent.tool_output") transcript.printed(frame);
      else {
        outcome = outcomeAfter(outcome, frame);
        if (endsResponse(frame) && messages.drop()) screen.print(transcript.cutOff());
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

/**
 * Returns the `event_deltas` to request from a stream, so that a terminal shows messages while they are
 * written and the output of running commands.
 */
export function previewsFor(output: Output): ("agent.message" | "agent.tool_output")[] {
  return isTerminal(output) ? ["agent.message", "agent.tool_output"] : [];
}

/** Returns whether the model's response is over, so that a preview without a stored message is void. */
function endsResponse(event: SessionEvent): boolean {
  const { type } = event;
  if (parentCallOf(event) !== null) return false;
  return (
    type === "span.model_request_end" ||
    type === "session.status_idle" ||
    type === "session.status_terminated"
  );
}
