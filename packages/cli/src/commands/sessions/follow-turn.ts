import type { Berth } from "@berth/sdk";
import type { Call } from "../../render/activity.ts";
import { exitCodeOf, noOutcome, outcomeAfter } from "../../render/outcome.ts";
import { previewsFor, renderEvents } from "../../render/render-events.ts";
import { printJson, talk } from "../../terminal/print.ts";

/** What an answer to waiting calls needs to be told with. */
export function answerHint(id: string): string {
  return `To let the calls run: berth sessions allow ${id} (or deny). A custom tool's result goes by: berth sessions events send ${id}`;
}

interface FollowOptions {
  /** The event that began it; what comes after is shown. */
  after_id: string;
  /** Calls of before that get their results in this turn. */
  waiting?: readonly Call[];
  json?: boolean | undefined;
}

/** Shows a turn to its end. Answers the exit code that `run` has for it. */
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
  if (outcome.ended === "requires_action") talk(answerHint(id));
  return exitCodeOf(outcome);
}
