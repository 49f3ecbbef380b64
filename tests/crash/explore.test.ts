// Tests kills of the runner in the middle of Explore loops: the calls are interrupted, their loops have an
// end, and none runs again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AnyJson, Api, Json } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import {
  bash,
  makeAgent,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { CAN_INJECT } from "./inject-kill.ts";
import { killAtEveryWrite } from "./kill-at-every-write.ts";
import { killRunner } from "./processes.ts";

let berth: Berth;
let api: Api;
let session: string;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
  const agent = await makeAgent(api, {
    tools: [{ type: "agent_toolset_20260401", configs: [{ name: "Explore" }] }],
  });
  session = (await makeSession(api, { agent: agent.id })).id;
  await runTurn(api, session, bash("seq 40 >numbers.txt"));
});
after(() => berth.stop());

function ask(...list: Json[]): Json {
  return { tool: "Explore", input: { question: JSON.stringify({ steps: list }) } };
}

const grep = (pattern: string): Json => ({ tool: "Grep", input: { pattern, output_mode: "content" } });

const POINTS: [string, Json, (event: AnyJson) => boolean][] = [
  [
    "while its model answers",
    ask(grep("7"), { wait_ms: 600_000 }),
    ({ type, parent_tool_use_id: parent }) => parent !== undefined && type === "agent.tool_result",
  ],
  [
    "while it waits for its next try",
    ask({ fail: "overloaded", times: 1_000 }),
    ({ type, parent_tool_use_id: parent }) => parent !== undefined && type === "session.error",
  ],
  [
    "when its first request begins",
    ask({ wait_ms: 600_000 }),
    ({ type, parent_tool_use_id: parent }) => parent !== undefined && type === "span.model_request_start",
  ],
];

for (const [name, call, isReached] of POINTS)
  test(`runner killed ${name}: the loop and the call end, and the turn goes on`, async () => {
    const sent = await api.ok("POST", `/sessions/${session}/events`, {
      events: [steps({ tools: [call, bash("echo beside")] }, { say: name, expect: "interrupted" })],
    });
    const { id } = sent.data[0];
    const events = await readUntil(id, isReached);
    await killRunner(berth);
    assert.ok(events.length > 0);
    const all = await waitForTurn(api, session, id);
    assert.equal(check(all), 1);
    assert.equal(all.findLast(({ type }) => type === "agent.message").content[0].text, name);
    assert.equal(all.at(-1).stop_reason.type, "end_turn");
  });

/** Returns the events up to the first one after this input that satisfies `isReached`. */
async function readUntil(id: string, isReached: (event: AnyJson) => boolean): Promise<AnyJson[]> {
  let isSent = false;
  return await readEventsUntil(api, session, (event) => {
    isSent ||= event.id === id;
    return isSent && isReached(event);
  });
}

test(
  "runner killed at any write of a turn with two loops: each begins once, and what it had begun ends before its call",
  { timeout: 600_000, skip: !CAN_INJECT },
  (context) =>
    killAtEveryWrite(context, {
      service: () => berth,
      sampledPoints: 5,
      async run(name, attach) {
        await attach();
        const question = (part: string) => ask({ say: `${name} ${part}` }, grep("7"), { say: part });
        const sent = await api.ok("POST", `/sessions/${session}/events`, {
          events: [steps({ tools: [question("a"), question("b")] }, { say: name })],
        });
        return await waitForTurn(api, session, sent.data[0].id);
      },
      async check(events, name) {
        check(events);
        assert.equal(events.findLast(({ type }) => type === "agent.message").content[0].text, name);
      },
    }),
);

/**
 * Asserts that everything that began has one end, and that a nested loop ends before its call. Returns the
 * number of interrupted Explore calls.
 */
function check(events: AnyJson[]): number {
  const open = new Map<string, string | undefined>();
  for (const event of events) {
    const { id, type, parent_tool_use_id: parent } = event;
    assert.ok(parent === undefined || open.has(parent), `${type} after the end of its call`);
    if (type === "agent.tool_use" || type === "span.model_request_start") open.set(id, parent);
    const began = type === "agent.tool_result" ? event.tool_use_id : event.model_request_start_id;
    if (began === undefined) continue;
    assert.ok(open.has(began), `${type} of what did not begin, or ended before`);
    assert.equal(open.get(began), parent);
    assert.ok(![...open.values()].includes(began), "a call ended before its loop");
    open.delete(began);
  }
  assert.deepEqual([...open], []);
  const calls = events.filter(({ type, name }) => type === "agent.tool_use" && name === "Explore");
  const results = calls.map(({ id }) => events.find(({ tool_use_id }) => tool_use_id === id));
  return toolResults(results).filter((text) => text.startsWith("interrupted")).length;
}
