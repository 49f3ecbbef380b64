import type { Berth } from "@berth/sdk";
import type { Call } from "../../render/activity.ts";
import { exitCodeOf, noOutcome, outcomeAfter } from "../../render/outcome.ts";
import { previewsFor, renderEvents } from "../../render/render-events.ts";
import { printJson, printMessage } from "../../terminal/print.ts";

/** How to reply to the calls that a session is waiting for. */
export function answerHint(id: string): string {
  return `Tool calls are waiting. To allow them: berth sessions allow ${id} (or deny). To send the result of a custom tool: berth sessions events send ${id}`;
}

interface FollowOptions {
  /** The input that the turn processes. The events after it are shown. */
  after_id: string;
  /** Earlier calls whose results come in this turn. */
  waiting?: readonly Call[];
  json?: boolean | undefined;
}

/** Shows a turn to its end. Returns the same exit codes as `run`. */
export async function followTurn(
  client: Berth,
  id: string,
  { after_id, waiting = [], json }: FollowOptions,
): Promise<number> {
  let outcome = noOutcome;
  if (json) {
    for await (const event of client.sessions.events.untilAnswered(id, after_id)) {
      printJson(event);
      outcome = outcomeAfter(outcome, event);
    }
  } else {
    const { resources } = await client.sessions.get(id);
    const query = { event_deltas: previewsFor(process.stdout) };
    const frames = client.sessions.events.untilAnswered(id, after_id, query);
    outcome = await renderEvents(frames, process.stdout, { resources, waiting });
  }
  if (outcome.ended === "requires_action") printMessage(answerHint(id));
  return exitCodeOf(outcome);
}
