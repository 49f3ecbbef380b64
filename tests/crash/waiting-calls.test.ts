import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeAgent, makeEnvironment, steps, toolResults } from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { cutEverywhere } from "./cut-everywhere.ts";
import { canInject } from "./inject-kill.ts";

/**
 * A turn with a call that is confirmed and one that the client runs, cut at its writes; see every-point for how, and the
 * loop's own tests for all steps. What ran counts how often it has run, so that the result tells.
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

test("a turn that waits for its client, cut at many points, runs what is allowed once", {
  timeout: 600_000,
  skip: !canInject,
}, async (context) => {
  const session = await makeWaiting();
  await cutEverywhere(context, {
    service: () => berth,
    most: 16,
    async act(name, attach) {
      await attach();
      const id = await ask(session, name);
      await answerAll(session, await until(session, id, ({ type }) => type === "requires_action"));
      return await until(session, id, ({ type }) => type !== "requires_action");
    },
    check: async (events, name) => check(events, name),
  });
});

test("a service that is stopped while an allowed call is about to begin leaves it run once, and unmarked", {
  timeout: 300_000,
}, async () => {
  const session = await makeWaiting();
  for (const wait of [0, 5, 15, 30, 80]) {
    const name = `stop-${wait}`;
    const id = await ask(session, name);
    await answerAll(session, await until(session, id, ({ type }) => type === "requires_action"));
    await pause(wait);
    await berth.kill("SIGTERM");
    berth = await Berth.start({ dataDir: berth.dataDir });
    api = new Api(berth.url, api.token);
    const events = await until(session, id, ({ type }) => type !== "requires_action");
    check(events, name);
    assert.deepEqual(toolResults(events), ["1"], name);
  }
});

async function makeWaiting(): Promise<string> {
  const agent = await makeAgent(api, { tools });
  const environment = await makeEnvironment(api);
  return (await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id })).id;
}

async function ask(session: string, name: string): Promise<string> {
  const command = `echo ${name} >> /data/effects; grep -c '^${name}$' /data/effects`;
  const sent = await api.ok("POST", `/sessions/${session}/events`, {
    events: [steps({ tools: [bash(command), { tool: "lookup" }] }, { say: "done" })],
  });
  return sent.data[0].id;
}

async function answerAll(session: string, asked: AnyJson[]): Promise<void> {
  const ids: string[] = asked.at(-1).stop_reason.event_ids;
  await api.ok("POST", `/sessions/${session}/events`, { events: ids.map(answerTo(asked)) });
}

/** The events from the input to the first end of a turn with such a reason. */
async function until(session: string, id: string, ends: (reason: AnyJson) => boolean): Promise<AnyJson[]> {
  let begun = false;
  const events = await readEventsUntil(api, session, (event) => {
    begun ||= event.id === id;
    return begun && event.type === "session.status_idle" && ends(event.stop_reason);
  });
  return events.slice(events.findIndex((event) => event.id === id));
}

function answerTo(events: AnyJson[]): (id: string) => AnyJson {
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
  const of = (type: string) => events.filter((event) => event.type === type);
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" }, `${name}`);
  assert.equal(of("agent.tool_use").length, 1, `${name}`);
  assert.equal(of("agent.custom_tool_use").length, 1, `${name}`);
  const [result, ...more] = toolResults(events);
  assert.equal(more.length, 0, `${name}: one result for each intent`);
  assert.match(result ?? "", /^1$|interrupted/, `${name}: it ran once, or is marked`);
}
