// Checks the output that a command printed before its runner was killed.
import assert from "node:assert/strict";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { bash, steps, toolResults } from "../acceptance/harness/fixtures.ts";
import { OutputReader } from "../acceptance/harness/live-output.ts";

/** A number of lines, one each half second, after which the first output is stored. */
export const TICKS = 24;

export const INTERRUPTED =
  /\[interrupted: the call was cut off before it ended and its outcome is unknown\. What it printed in its last seconds may be missing here\. Look at what it did before you repeat it\.\]$/;

/** Returns a command that prints `<name> <number>` each half second, after the command `before`. */
export function ticking(name: string, before = ""): AnyJson {
  return bash(`${before} for i in $(seq 1 2000); do echo ${name} $i; sleep 0.5; done`);
}

/** Sends a message, and returns a reader of its commands' output. */
export async function begin(api: Api, session: string, ...list: AnyJson[]): Promise<OutputReader> {
  const reader = await OutputReader.open(api, session);
  await api.ok("POST", `/sessions/${session}/events`, { events: [steps(...list)] });
  return reader;
}

/** Resolves with the texts of the results once the turn is over. Asserts that the model ended the turn. */
export async function resultsOf(reader: OutputReader): Promise<string[]> {
  await reader.untilIdle();
  const results = reader.frames.filter(({ event }) => event === "agent.tool_result");
  const uses = reader.frames.filter(({ event }) => event === "agent.tool_use");
  assert.deepEqual(
    results.map(({ data }) => data.tool_use_id).toSorted(),
    uses.map(({ data }) => data.id).toSorted(),
    "one result for each call",
  );
  assert.deepEqual(reader.frames.at(-1)?.data.stop_reason, { type: "end_turn" }, "the session goes on");
  return toolResults(results.map(({ data }) => data));
}

/**
 * Returns how many lines of a ticking command a result has. Asserts that they are the first ones, each once.
 */
export function ticksIn(text: string, name: string): number {
  const ticks = [...text.matchAll(new RegExp(`^${name} (\\d+)$`, "gm"))].map(([, tick]) => Number(tick));
  assert.ok(ticks.length > 0, `${name}: ${text}`);
  assert.deepEqual(
    ticks,
    ticks.map((_, index) => index + 1),
    name,
  );
  return ticks.length;
}
