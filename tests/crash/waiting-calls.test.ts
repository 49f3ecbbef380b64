import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Api, Wire } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeAgent, makeEnvironment, results, steps } from "../acceptance/harness/fixtures.ts";
import { eventsUntil } from "../acceptance/harness/stream.ts";
import { canInject, injectKill } from "./inject-kill.ts";
import { isAlive, pidOf } from "./processes.ts";

/**
 * A turn with a call that is confirmed and one that the client runs, cut at every third of its crash points; see every-point for
 * how, and the loop's own tests for all steps. What
 * ran counts how often it has run, so that the result tells.
 */
let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
});
after(() => berth.stop());

const tools = [
  { type: "agent_toolset_20260401", configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }] },
  { type: "custom", name: "lookup", description: "Looks up.", input_schema: { type: "object" } },
];
const lastPoint = 200;

test("a turn that waits for its client, cut at many points, runs what is allowed once", {
  timeout: 600_000,
  skip: !canInject,
}, async (context) => {
  const agent = await makeAgent(api, { tools });
  const environment = await makeEnvironment(api);
  const session = await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id });
  let cuts = 0;
  for (let point = 1; point <= lastPoint; point += 3) {
    if (!(await cutAt(point, session.id))) break;
    cuts += 1;
  }
  context.diagnostic(`${cuts} crash points`);
  assert.ok(cuts > 6 && cuts < lastPoint / 3, `${cuts} crash points were met`);
});

/** Runs a turn with a kill at the given write; false when the turn got through without it. */
async function cutAt(point: number, session: string): Promise<boolean> {
  const runner = await livingRunner();
  const tracer = await injectKill(runner, point);
  const calls = {
    tools: [bash(`echo ${point} >> /data/effects; grep -c '^${point}$' /data/effects`), { tool: "lookup" }],
  };
  const sent = await api.ok("POST", `/sessions/${session}/events`, {
    events: [steps(calls, { say: "done" })],
  });
  const id: string = sent.data[0].id;
  const asked = await until(session, id, ({ type }) => type === "requires_action");
  await api.ok("POST", `/sessions/${session}/events`, {
    events: asked.at(-1).stop_reason.event_ids.map(answerTo(asked)),
  });
  const events = await until(session, id, ({ type }) => type !== "requires_action");
  const cut = !isAlive(runner);
  await tracer.stop();
  check(events, point);
  return cut;
}

/** The events from the input to the first end of a turn with such a reason. */
async function until(session: string, id: string, ends: (reason: Wire) => boolean): Promise<Wire[]> {
  let begun = false;
  const events = await eventsUntil(api, session, (event) => {
    begun ||= event.id === id;
    return begun && event.type === "session.status_idle" && ends(event.stop_reason);
  });
  return events.slice(events.findIndex((event) => event.id === id));
}

function answerTo(events: Wire[]): (id: string) => Wire {
  return (id) =>
    events.some((event) => event.id === id && event.type === "agent.custom_tool_use")
      ? {
          type: "user.custom_tool_result",
          custom_tool_use_id: id,
          content: [{ type: "text", text: "found" }],
        }
      : { type: "user.tool_confirmation", tool_use_id: id, result: "allow" };
}

function check(events: Wire[], point: number): void {
  const of = (type: string) => events.filter((event) => event.type === type);
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" }, `point ${point}`);
  assert.equal(of("agent.tool_use").length, 1, `point ${point}`);
  assert.equal(of("agent.custom_tool_use").length, 1, `point ${point}`);
  const [result, ...more] = results(events);
  assert.equal(more.length, 0, `point ${point}: one result for each intent`);
  assert.match(result ?? "", /^1$|interrupted/, `point ${point}: it ran once, or is marked`);
}

async function livingRunner(): Promise<number> {
  for (;;) {
    const pid = pidOf(berth, "runner");
    if (pid !== null && isAlive(pid)) return pid;
    await pause(10);
  }
}
