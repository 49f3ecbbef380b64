import type { Berth, StreamFrame } from "@berth/sdk";
import type { Call } from "../../render/activity.ts";
import { exitCodeOf, noOutcome, outcomeAfter } from "../../render/outcome.ts";
import { previewsFor, renderEvents } from "../../render/render-events.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { isForPeople, peopleOutput, printItem } from "../../shared/output.ts";
import { printMessage } from "../../terminal/print.ts";

/** Returns a hint how to reply to the calls that a session is waiting for. */
export function answerHint(id: string): string {
  return `Tool calls are waiting. To allow them: berth sessions allow ${id} (or deny). To send the result of a custom tool: berth sessions events send ${id}`;
}

/** Returns a hint how a session continues that has reached its budget. */
export function budgetHint(id: string): string {
  return `With more money, in cents, it continues: berth sessions update ${id} -f budget.type=limit -f budget.max_list_cost.amount=1000 -f budget.max_list_cost.currency=USD; to follow it: berth sessions attach ${id}`;
}

interface FollowOptions extends OutputOptions {
  /** Id of the input that the turn processes. The events after it are shown. */
  after_id: string;
  /** Earlier calls whose results arrive in this turn. */
  waiting?: readonly Call[];
  /** Gets each frame before it is shown. */
  onFrame?: (frame: StreamFrame) => void;
}

/** Shows a turn to its end. Returns the same exit codes as `run`. */
export async function followTurn(
  client: Berth,
  id: string,
  { after_id, waiting = [], onFrame = () => undefined, ...options }: FollowOptions,
): Promise<number> {
  let outcome = noOutcome;
  if (isForPeople(options)) {
    const { resources } = await client.sessions.get(id);
    const output = peopleOutput(options);
    const query = { event_deltas: previewsFor(output) };
    const frames = client.sessions.events.untilAnswered(id, after_id, query);
    outcome = await renderEvents(noted(frames, onFrame), output, { resources, waiting });
  } else
    for await (const event of client.sessions.events.untilAnswered(id, after_id)) {
      onFrame(event);
      await printItem(event, options);
      outcome = outcomeAfter(outcome, event);
    }
  if (outcome.ended === "requires_action" && !options.quiet) printMessage(answerHint(id));
  if (outcome.reached === "session" && !options.quiet) printMessage(budgetHint(id));
  return exitCodeOf(outcome);
}

async function* noted<Frame>(frames: AsyncIterable<Frame>, note: (frame: Frame) => void) {
  for await (const frame of frames) {
    note(frame);
    yield frame;
  }
}
