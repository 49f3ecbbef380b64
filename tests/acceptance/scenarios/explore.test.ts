// Tests Explore: a call that answers a question about the files in a loop of its own, in the same log but
// outside the agent's context.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type AnyJson, assertError, type Json } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import {
  bash,
  makeAgent,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../harness/fixtures.ts";
import { startMessagesServer } from "../harness/messages-server.ts";
import { readEventsUntil } from "../harness/stream.ts";

/** Tokens that each request to the cheap model reads from its cache. */
const CACHED = 2_000;
const messages = await startMessagesServer(CACHED);
const folder = await mkdtemp(join(tmpdir(), "berth-explore-"));
const modelsFile = join(folder, "models.json");
const cheap = { id: "scripted/cheap", upstream_model: "claude-haiku-4-5", context_window: 200_000 };
const providers = { scripted: { kind: "anthropic", base_url: messages.baseUrl } };
await writeFile(modelsFile, JSON.stringify({ providers, models: [cheap] }));
const { api } = await startBerth({ settings: { BERTH_MODELS_FILE: modelsFile } });
after(async () => {
  await messages.close();
  await rm(folder, { recursive: true });
});

const type = "agent_toolset_20260401";
const SIX = ["Bash", "Read", "Write", "Edit", "Glob", "Grep"];

function explore(options: object = {}): Json {
  return [{ type, configs: [{ name: "Explore", ...options }] }];
}

async function sessionWith(tools: Json): Promise<string> {
  const { id: agent } = await makeAgent(api, { tools });
  return (await makeSession(api, { agent })).id;
}

/** Returns an Explore call whose question has the steps that the rehearsal model follows in the loop. */
function ask(...list: Json[]): Json {
  return { tool: "Explore", input: { question: JSON.stringify({ steps: list }) } };
}

const read = (file_path: string): Json => ({ tool: "Read", input: { file_path } });
const grep = (pattern: string): Json => ({ tool: "Grep", input: { pattern, output_mode: "content" } });

function ofLoop(events: AnyJson[], call?: AnyJson): AnyJson[] {
  return events.filter(
    (event) => event.parent_tool_use_id !== undefined && (!call || event.parent_tool_use_id === call.id),
  );
}

function own(events: AnyJson[]): AnyJson[] {
  return events.filter((event) => event.parent_tool_use_id === undefined);
}

function requestsOf(events: AnyJson[]): AnyJson[] {
  return events.filter((event) => event.type === "span.model_request_end");
}

function tokens(usages: (AnyJson | null)[]): number {
  return usages.reduce(
    (sum, usage) =>
      sum +
      Object.values(usage ?? {}).reduce<number>(
        (one, other) => one + (typeof other === "number" ? other : 0),
        0,
      ),
    0,
  );
}

covers(
  ["explore", "explore-events"],
  "a question: its loop is in the log below the call, its answer in the agent's context, and its tokens in the session's",
  async () => {
    const id = await sessionWith(explore());
    const long = "seq 1 900 | sed 's/$/ is a number/' >numbers.txt; echo 'the tax is 19' >tax.txt";
    const events = await runTurn(
      api,
      id,
      bash(long),
      ask(grep("tax is"), read("numbers.txt"), { say: "tax.txt:1 says 19.", expect: "900 is a number" }),
      { say: "So it is 19.", expect: "tax.txt:1 says 19." },
    );
    const [, call] = own(events).filter((event) => event.type === "agent.tool_use");
    assert.equal(call.name, "Explore");
    assert.deepEqual(toolResults(own(events)).slice(1), ["tax.txt:1 says 19."]);
    const loop = ofLoop(events, call);
    assert.deepEqual(
      loop.map((event) => event.type),
      [
        ...["span.model_request_start", "agent.tool_use", "span.model_request_end", "agent.tool_result"],
        ...["span.model_request_start", "agent.tool_use", "span.model_request_end", "agent.tool_result"],
        ...["span.model_request_start", "agent.message", "span.model_request_end"],
      ],
    );
    const place = (event: AnyJson) => events.indexOf(event);
    const result = own(events).find(
      (event) => event.type === "agent.tool_result" && event.tool_use_id === call.id,
    );
    assert.ok(place(call) < place(loop[0]) && place(loop.at(-1)) < place(result));
    assert.match(toolResults(loop)[0] ?? "", /tax\.txt[:\n]1:the tax is 19/);

    const session = await api.ok("GET", `/sessions/${id}`);
    const all = requestsOf(events).map((event) => event.model_usage);
    assert.equal(tokens([session.usage]), tokens(all));
    const mine = requestsOf(own(events)).map((event) => event.model_usage.input_tokens);
    const most = Math.max(...requestsOf(loop).map((event) => event.model_usage.input_tokens));
    assert.ok(
      most - Math.max(...mine) > 2_000,
      `the agent's requests ${mine}, the largest of the loop ${most}`,
    );

    const listed = await api.ok("GET", `/sessions/${id}/events?types[]=agent.message`);
    assert.deepEqual(
      listed.data.map((event: AnyJson) => event.parent_tool_use_id),
      [call.id, undefined],
    );
    const next = await runTurn(api, id, { say: "Nothing more." });
    assert.equal(toolResults(next).length, 0);
  },
);

covers(
  ["explore"],
  "Explore is off unless a list or a config names it, and needs something to search with and a model that exists",
  async () => {
    const enabled = async (toolset: object) =>
      (await makeAgent(api, { tools: [{ type, ...toolset }] })).tools[0].enabled_tools;
    const config = { name: "Explore" };
    assert.deepEqual(await enabled({}), SIX);
    assert.deepEqual(await enabled({ configs: [config] }), [...SIX, "Explore"]);
    assert.deepEqual(await enabled({ configs: [{ ...config, enabled: true }] }), [...SIX, "Explore"]);
    assert.deepEqual(await enabled({ configs: [{ ...config, enabled: false }] }), SIX);
    assert.deepEqual(await enabled({ enabled_tools: ["Explore", "Grep"] }), ["Grep", "Explore"]);
    assert.deepEqual(await enabled({ enabled_tools: ["Read"], configs: [config] }), ["Read", "Explore"]);
    assert.deepEqual(await enabled({ disallowed_tools: ["Explore"], configs: [config] }), SIX);

    const off = await runTurn(api, await sessionWith([{ type }]), ask({ say: "x" }));
    assert.match(
      toolResults(off)[0] ?? "",
      /^There is no tool named 'Explore'\. Available: Bash, Read, Write, Edit, Glob, Grep\.$/,
    );

    const options = { model: "scripted/cheap", max_requests: 7, max_tokens: 20_000, max_result_bytes: 2_000 };
    const made = await makeAgent(api, { tools: explore(options) });
    const [kept] = made.tools[0].configs;
    assert.deepEqual(kept, {
      ...config,
      ...options,
      enabled: true,
      permission_policy: { type: "always_allow" },
    });
    const path = `/agents/${made.id}`;
    assert.deepEqual(await api.ok("POST", path, { version: 1, tools: explore(options) }), made);

    const at = "tools[0].configs[0]";
    const asks = (name: string) => ({ name, permission_policy: { type: "always_ask" } });
    const denies = (name: string) => ({ name, permission_policy: { type: "always_deny" } });
    const refused: [object, string, RegExp][] = [
      [{ configs: [{ ...config, max_requests: 1 }] }, `${at}.max_requests`, /2/],
      [{ configs: [{ ...config, max_requests: 201 }] }, `${at}.max_requests`, /200/],
      [{ configs: [{ ...config, max_requests: 2.5 }] }, `${at}.max_requests`, /integer/],
      [{ configs: [{ ...config, max_tokens: 9_999 }] }, `${at}.max_tokens`, /10000/],
      [{ configs: [{ ...config, max_tokens: 10_000_001 }] }, `${at}.max_tokens`, /10000000/],
      [{ configs: [{ ...config, max_result_bytes: 999 }] }, `${at}.max_result_bytes`, /1000/],
      [{ configs: [{ ...config, model: "" }] }, `${at}.model`, /./],
      [
        { configs: [{ ...config, model: "nobody/nothing" }] },
        `${at}.model`,
        /'nobody\/nothing' is not available/,
      ],
      [{ configs: [{ name: "Read", model: "scripted/cheap" }] }, `${at}.model`, /is only for Explore\.$/],
      [{ configs: [{ name: "Bash", max_requests: 5 }] }, `${at}.max_requests`, /is only for Explore\.$/],
      [{ configs: [{ name: "Grep", max_tokens: 20_000 }] }, `${at}.max_tokens`, /is only for Explore\.$/],
      [
        { enabled_tools: ["Bash", "Explore"] },
        "tools[0].enabled_tools",
        /^Explore searches with Read, Glob and Grep/,
      ],
      [{ enabled_tools: ["Write"], configs: [config] }, at, /^Explore searches with Read, Glob and Grep/],
      [
        { configs: [config, asks("Read"), denies("Glob"), { name: "Grep", enabled: false }] },
        at,
        /^Explore searches with Read, Glob and Grep/,
      ],
    ];
    for (const [toolset, param, message] of refused) {
      const body = { name: "a", model: "rehearsal/steps", tools: [{ type, ...toolset }] };
      assertError(await api.post("/agents", body), 400, "invalid_request_error", { param, message });
      const change = { version: 1, tools: [{ type, ...toolset }] };
      assertError(await api.post(path, change), 400, "invalid_request_error", { param, message });
    }
  },
);

covers(
  ["explore"],
  "max_requests, max_tokens and max_result_bytes: the loop ends with its budget, and the answer is cut",
  async () => {
    const session = await sessionWith(explore({ max_requests: 3 }));
    const three = await runTurn(
      api,
      session,
      bash("seq 3000 | sed 's/$/ is the number of a line/' >long.txt"),
      ask(read("long.txt"), grep("no such"), { say: "As far as I got." }),
      ask(read("long.txt"), { say: "All of it." }),
    );
    assert.deepEqual(toolResults(own(three)).slice(1), [
      "As far as I got.\n[Its budget of 3 requests and 500000 tokens ended before it was done.]",
      "All of it.",
    ]);
    const cut = await runTurn(
      api,
      session,
      ask(read("long.txt"), grep("a"), grep("b"), grep("c"), { say: "Late." }),
    );
    assert.equal(requestsOf(ofLoop(cut)).length, 3);
    assert.match(
      toolResults(own(cut))[0] ?? "",
      /^Explore ended without an answer\. Its budget of 3 requests and 500000 tokens ended before it was done\.$/,
    );
    assert.deepEqual(
      ofLoop(cut)
        .filter((event) => event.type === "agent.tool_use")
        .map((event) => event.evaluated_permission),
      ["allow", "allow", "deny"],
    );

    const poor = await sessionWith(explore({ max_tokens: 10_000, max_result_bytes: 1_000 }));
    const reads = ["", "./", "../data/"].map((path) => read(`${path}long.txt`));
    const spent = await runTurn(
      api,
      poor,
      bash("seq 3000 | sed 's/$/ is the number of a line/' >long.txt"),
      ask(...reads, { say: "Far." }, grep("a"), { say: "Late." }),
    );
    assert.ok(requestsOf(ofLoop(spent)).length <= 4);
    assert.match(
      toolResults(own(spent))[1] ?? "",
      /Its budget of 25 requests and 10000 tokens ended before it was done\./,
    );
    const [long] = toolResults(own(await runTurn(api, poor, ask({ say: "w".repeat(5_000) }))));
    assert.equal(
      long,
      `${"w".repeat(1_000)}\n[The answer has 5000 bytes and is cut off here: ask for less at a time.]`,
    );
  },
);

covers(
  ["explore-model"],
  "a cheaper model: it answers, at its own price in the session's cost and in the report",
  async () => {
    const id = await sessionWith(explore({ model: "scripted/cheap" }));
    const calls = {
      tools: [ask({ say: "x" }), { tool: "Explore", input: { question: "Where?", path: "src" } }],
    };
    const events = await runTurn(api, id, calls, { say: "Done." });
    assert.deepEqual(toolResults(own(events)), ["Fine.", "Fine."]);
    const starts = events.filter((event) => event.type === "span.model_request_start");
    assert.deepEqual(
      starts.map((event) => event.model),
      ["rehearsal/steps", "scripted/cheap", "scripted/cheap", "rehearsal/steps"],
    );
    assert.ok(messages.bodies.some((body) => body.includes("Where?\\n\\nBegin at /data/src.")));
    assert.ok(messages.bodies.every((body) => !body.includes("Where you work")));
    const prefixes = new Set(
      messages.bodies.map((body) => {
        const { system, tools } = JSON.parse(body);
        return JSON.stringify([system, tools.map((tool: AnyJson) => tool.name)]);
      }),
    );
    assert.equal(prefixes.size, 1);
    assert.match([...prefixes][0] ?? "", /\["Read","Glob","Grep"\]/);
    // Haiku's list price: 1 and 5 dollars for a million, a cache read 0.1 and a write 1.25.
    const cost = (2 * (10 * 1 + CACHED * 0.1 + 500 * 1.25 + 20 * 5)) / 1_000_000;
    const session = await api.ok("GET", `/sessions/${id}`);
    assert.ok(Math.abs(session.list_cost_usd - cost) <= 1e-6, `${session.list_cost_usd}, not ${cost}`);
    assert.equal(session.usage.cache_read_input_tokens, 2 * CACHED);
    const { data, total } = await api.ok("GET", "/usage?group_by=model");
    const report = data.find((group: AnyJson) => group.key === "scripted/cheap");
    assert.deepEqual(
      [report.sessions, report.turns, report.usage.cache_read_input_tokens, report.list_cost_usd],
      [0, 0, 2 * CACHED, session.list_cost_usd],
    );
    assert.equal(total.list_cost_usd, session.list_cost_usd);
    const list = await api.ok("GET", "/sessions");
    assert.equal(list.data.find((one: AnyJson) => one.id === id).list_cost_usd, session.list_cost_usd);
  },
);

covers(
  ["explore-permission"],
  "permission: Explore waits to be allowed as any tool, and its loop has no tool that the agent may not use unasked",
  async () => {
    const id = await sessionWith([
      {
        type,
        configs: [
          { name: "Explore", permission_policy: { type: "always_ask" } },
          { name: "Read", permission_policy: { type: "always_deny" } },
          { name: "Glob", permission_policy: { type: "always_ask" } },
        ],
      },
    ]);
    const waiting = await runTurn(
      api,
      id,
      ask(read("a"), { tool: "Glob", input: { pattern: "*" } }, bash("true"), { say: "Tried." }),
    );
    const { stop_reason: stop } = waiting.at(-1);
    assert.equal(stop.type, "requires_action");
    assert.deepEqual(ofLoop(waiting), []);
    const allow = { type: "user.tool_confirmation", tool_use_id: stop.event_ids[0], result: "allow" };
    const sent = await api.ok("POST", `/sessions/${id}/events`, { events: [allow] });
    const events = await waitForTurn(api, id, sent.data[0].id);
    assert.deepEqual(toolResults(own(events)), ["Tried."]);
    const results = toolResults(ofLoop(events));
    assert.equal(results.length, 3);
    for (const text of results) assert.match(text, /^There is no tool named '\w+'\. Available: Grep\.$/);
  },
);

covers(
  ["explore-events"],
  "an interrupt: the loop's request or call ends, then the call, and the next turn goes on without them",
  async () => {
    const id = await sessionWith(explore());
    const sent = await api.ok("POST", `/sessions/${id}/events`, {
      events: [steps({ tools: [ask(grep("x"), { wait_ms: 600_000 }), ask({ wait_ms: 600_000 })] })],
    });
    let nested = 0;
    await readEventsUntil(
      api,
      id,
      ({ type, parent_tool_use_id: parent }) =>
        parent !== undefined && type === "span.model_request_start" && ++nested === 3,
    );
    await api.ok("POST", `/sessions/${id}/events`, { events: [{ type: "user.interrupt" }] });
    const events = await waitForTurn(api, id, sent.data[0].id);
    assert.equal(events.at(-1).stop_reason.type, "cancelled");
    const calls = own(events).filter((event) => event.type === "agent.tool_use");
    assert.equal(calls.length, 2);
    for (const call of calls) {
      const end = ofLoop(events, call).at(-1);
      assert.deepEqual([end.type, end.is_error], ["span.model_request_end", true]);
      const result = events.find((event) => event.tool_use_id === call.id);
      assert.equal(result.is_error, true);
      assert.ok(events.indexOf(end) < events.indexOf(result));
      assert.match(toolResults([result])[0] ?? "", /^interrupted: the call was stopped/);
    }
    const next = await runTurn(api, id, ask({ say: "found" }), { say: "Done.", expect: "found" });
    assert.equal(next.at(-1).stop_reason.type, "end_turn");
  },
);
