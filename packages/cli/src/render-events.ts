import type { SessionEvent, SessionResource } from "@berth/sdk";
import { noOutcome, type Outcome, outcomeAfter } from "./outcome.ts";
import { columnsOf, isTerminal, type Output, paletteFor } from "./render/palette.ts";
import { Screen } from "./render/screen.ts";
import { Transcript } from "./render/transcript.ts";

export interface RenderOptions {
  /** The session's resources, to name them in progress and errors. */
  resources?: readonly SessionResource[];
}

/**
 * Prints events as they come, as a person reads a session: messages, tool calls with the first lines of their results, how
 * cloning goes, errors, how the turn ended and its cost in tokens. Colours and a status line that is overwritten in place only
 * where `output` is a terminal. Resolves when the events end; says how it ended.
 */
export async function renderEvents(
  events: AsyncIterable<SessionEvent>,
  output: Output = process.stdout,
  { resources = [] }: RenderOptions = {},
): Promise<Outcome> {
  const palette = paletteFor(output);
  const live = isTerminal(output);
  const transcript = new Transcript({ palette, width: live ? columnsOf(output) : 160, live, resources });
  const screen = new Screen(output, palette, () => transcript.status(Date.now()));
  let outcome = noOutcome;
  try {
    for await (const event of events) {
      outcome = outcomeAfter(outcome, event);
      const block = transcript.take(event);
      if (block !== null) screen.print(block);
      screen.refresh();
    }
  } finally {
    const rest = transcript.rest();
    if (rest !== null) screen.print(rest);
    screen.close();
  }
  return outcome;
}
