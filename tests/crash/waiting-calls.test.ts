import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeAgent, makeEnvironment, steps, toolResults } from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { CAN_INJECT } from "./inject-kill.ts";
import { killAtEveryWrite } from "./kill-at-every-write.ts";
import { pointsToTry, sample } from "./points.ts";
import { newSeed } from "./seed.ts";

/**
 * Tests kills of the runner at the writes of a turn with a call that waits for confirmation and a custom tool
 * call, and of a call that a rule allows. The command's result is the number of times that it has run. The
 * agent's run-turn tests cover every step.
 */
let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
});
after(() => berth.stop());

const TOOLS = [
  { type: "agent_toolset_20260401", configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }] },
  { type: "custom", name: "lookup", description: "Looks up.", input_schema: { type: "object" } },
];

test("runner killed at any write of a turn with waiting calls: an allowed call runs once", {
  timeout: 600_000,
  skip: !CAN_INJECT,
}, async (context) => {
  const session = await makeSessionWithTools();
  await killAtEveryWrite(context, {
    service: () => berth,
    sampledPoints: 6,
    async run(name, attach) {
      await attach();
      const id = await startCalls(session, name);
      await completeAll(session, await waitForIdle(session, id, ({ type }) => type === "requires_action"));
      return await waitForIdle(session, id, ({ type }) => type !== "requires_action");
    },
    check: async (events, name) => check(events, name),
  });
});

test("runner killed at any write of a turn with a call that a rule allows: it does not ask, and runs once", {
  timeout: 600_000,
  skip: !CAN_INJECT,
}, async (context) => {
  const session = await makeSessionWithTools();
  const rule = await api.ok("POST", `/sessions/${session}/confirmation_rules`, { tool_name: "Bash" });
  await killAtEveryWrite(context, {
    service: () => berth,
    sampledPoints: 4,
    async run(name, attach) {
      await attach();
      const id = await startCalls(session, name);
      await completeAll(session, await waitForIdle(session, id, ({ type }) => type === "requires_action"));
      return await waitForIdle(session, id, ({ type }) => type !== "requires_action");
    },
    async check(events, name) {
      check(events, name);
      const [use] = events.filter(({ type }) => type === "agent.tool_use");
      assert.equal(use.confirmation_rule.id, rule.id, name);
      assert.deepEqual(
        events.filter(({ type }) => type === "user.tool_confirmation"),
        [],
        name,
      );
    },
  });
});

test("service stopped when an allowed call is about to start: the call runs once, without an interruption", {
  timeout: 600_000,
}, async (context) => {
  const session = await makeSessionWithTools();
  const seed = newSeed();
  context.diagnostic(`seed ${seed}`);
  for (const wait of sample([0, 5, 15, 30, 80], pointsToTry(3), seed)) {
    const name = `stop-${wait}`;
    const id = await startCalls(session, name);
    await completeAll(session, await waitForIdle(session, id, ({ type }) => type === "requires_action"));
    await pause(wait);
    await berth.kill("SIGTERM");
    berth = await Berth.start({ dataDir: berth.dataDir });
    api = new Api(berth.url, api.token);
    const events = await waitForIdle(session, id, ({ type }) => type !== "requires_action");
    check(events, name);
    assert.deepEqual(toolResults(events), ["1"], name);
  }
});

async function makeSessionWithTools(): Promise<string> {
  const agent = await makeAgent(api, { tools: TOOLS });
  const environment = await makeEnvironment(api);
  return (await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id })).id;
}

async function startCalls(session: string, name: string): Promise<string> {
  const command = `echo ${name} >> /data/effects; grep -c '^${name}$' /data/effects`;
  const sent = await api.ok("POST", `/sessions/${session}/events`, {
    events: [steps({ tools: [bash(command), { tool: "lookup" }] }, { say: "done" })],
  });
  return sent.data[0].id;
}

async function completeAll(session: string, log: AnyJson[]): Promise<void> {
  const ids: string[] = log.at(-1).stop_reason.event_ids;
  await api.ok("POST", `/sessions/${session}/events`, { events: ids.map(resultFor(log)) });
}

/** Returns the events from the input to the first session.status_idle with a matching stop reason. */
async function waitForIdle(
  session: string,
  id: string,
  matches: (reason: AnyJson) => boolean,
): Promise<AnyJson[]> {
  let found = false;
  const events = await readEventsUntil(api, session, (event) => {
    found ||= event.id === id;
    return found && event.type === "session.status_idle" && matches(event.stop_reason);
  });
  return events.slice(events.findIndex((event) => event.id === id));
}

function resultFor(events: AnyJson[]): (id: string) => AnyJson {
  return (id) =>
    events.some((event) => event.id === id && event.type === "agent.custom_tool_use")
      ? {
          type: "user.custom_tool_result",
          custom_tool_use_id: id,
          content: [{ type: "text", text: "found" }],
        }
      : { type: "user.tool_confirmation", tool_use_id: id, result: "allow" };
}

function check(events: AnyJson[], name: string): void {
  const ofType = (type: string) => events.filter((event) => event.type === type);
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" }, `${name}`);
  assert.equal(ofType("agent.tool_use").length, 1, `${name}`);
  assert.equal(ofType("agent.custom_tool_use").length, 1, `${name}`);
  const [result, ...more] = toolResults(events);
  assert.equal(more.length, 0, `${name}: one result for each call`);
  assert.match(result ?? "", /^1$|interrupted/, `${name}: it ran once, or is marked as interrupted`);
}
