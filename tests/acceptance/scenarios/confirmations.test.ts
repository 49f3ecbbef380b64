import assert from "node:assert/strict";
import { type AnyJson, type Api, assertError } from "../harness/api.ts";
import { Berth, startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults, waitForTurn } from "../harness/fixtures.ts";
import { readEventsUntil } from "../harness/stream.ts";

const { api } = await startBerth();

const ask = {
  type: "agent_toolset_20260401",
  configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }],
};
const weather = {
  type: "custom",
  name: "weather",
  description: "The weather at a place.",
  input_schema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};
const snow = { tool: "weather", input: { place: "Oslo" } };
const glob = { tool: "Glob", input: { pattern: "*.none" } };

const message = (text: string) => ({ type: "user.message", content: [{ type: "text", text }] });
const allow = (id: string) => ({ type: "user.tool_confirmation", tool_use_id: id, result: "allow" });
const deny = (id: string, words: AnyJson = {}) => ({ ...allow(id), result: "deny", ...words });
const answer = (id: string, text: string) => ({
  type: "user.custom_tool_result",
  custom_tool_use_id: id,
  content: [{ type: "text", text }],
});

const sessionWith = (...tools: AnyJson[]) => sessionOf(api, ...tools);

async function sessionOf(client: Api, ...tools: AnyJson[]): Promise<string> {
  const agent = await makeAgent(client, { tools });
  const environment = await makeEnvironment(client);
  return (await client.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id })).id;
}

const post = (session: string, ...events: AnyJson[]) => api.post(`/sessions/${session}/events`, { events });

/** Sends events and answers those from the first of them to the next time that the session is idle. */
async function send(session: string, ...events: AnyJson[]): Promise<AnyJson[]> {
  const sent = await api.ok("POST", `/sessions/${session}/events`, { events });
  return waitForTurn(api, session, sent.data[0].id);
}

/** The events after one to the next time that the session is idle. */
async function untilIdle(session: string, id: string): Promise<AnyJson[]> {
  let begun = false;
  const events = await readEventsUntil(api, session, (event) => {
    if (begun && event.type === "session.status_idle") return true;
    begun ||= event.id === id;
    return false;
  });
  return events.slice(events.findIndex((event) => event.id === id) + 1);
}

async function logOf(session: string): Promise<AnyJson[]> {
  return (await api.ok("GET", `/sessions/${session}/events?limit=100`)).data;
}

const typed = (events: AnyJson[], ...types: string[]): AnyJson[] =>
  events.filter(({ type }) => types.includes(type));

const said = (events: AnyJson[]): string =>
  typed(events, "agent.message")
    .map(({ content }) => content[0].text)
    .join("\n");

/** The calls that got a result of the service. */
const ended = (events: AnyJson[]): string[] =>
  typed(events, "agent.tool_result").map(({ tool_use_id: id }) => id);

/** Ids of the calls that the newest idle names. */
function waiting(events: AnyJson[]): string[] {
  const { stop_reason: reason } = typed(events, "session.status_idle").at(-1);
  assert.equal(reason.type, "requires_action", JSON.stringify(events));
  return reason.event_ids;
}

function endTurn(events: AnyJson[]): void {
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" });
}

covers(["confirm-ask", "confirm-allow"], "a call that asks runs when it is allowed", async () => {
  const session = await sessionWith(ask);
  const asked = await runTurn(api, session, bash("echo $((6 * 7))"), { say: "done", expect: "42" });
  const [use] = typed(asked, "agent.tool_use");
  assert.equal(use.evaluated_permission, "ask");
  assert.deepEqual(waiting(asked), [use.id]);
  assert.deepEqual(ended(asked), [], "nothing ran");
  const before = await api.ok("GET", `/sessions/${session}`);
  assert.equal(before.status, "idle");
  const later = await api.ok("GET", `/sessions/${session}`);
  assert.equal(later.stats.active_seconds, before.stats.active_seconds);
  const ran = await send(session, allow(use.id));
  const types = ran.map(({ type }) => type).filter((type) => !type.startsWith("session.container"));
  assert.deepEqual(types.slice(0, 3), [
    "user.tool_confirmation",
    "session.status_running",
    "agent.tool_result",
  ]);
  assert.deepEqual([ended(ran), toolResults(ran)], [[use.id], ["42"]]);
  assert.equal(said(ran), "done");
  endTurn(ran);
  const [stored] = typed(await logOf(session), "user.tool_confirmation");
  assert.match(stored.processed_at, /Z$/);
});

covers(["confirm-ask", "confirm-allow", "confirm-deny"], "calls are answered one by one", async () => {
  const session = await sessionWith(ask);
  const calls = { tools: [bash("echo one"), glob, bash("echo two"), bash("echo three")] };
  const asked = await runTurn(api, session, calls, { say: "all there", expect: "too dangerous" });
  const [one, search, two, three] = typed(asked, "agent.tool_use").map(({ id }) => id);
  assert.deepEqual(waiting(asked), [one, two, three]);
  assert.deepEqual(ended(asked), [search], "the call that asks nobody has run");
  const second = await send(session, allow(two));
  assert.deepEqual(ended(second), [two]);
  assert.deepEqual(waiting(second), [one, three], "the session is idle again with the rest");
  assert.deepEqual(typed(second, "span.model_request_start"), []);
  const rest = await send(session, deny(one, { deny_message: "too dangerous" }), allow(three));
  assert.deepEqual(ended(rest).toSorted(), [one, three].toSorted());
  const denied = typed(rest, "agent.tool_result").find(({ tool_use_id: id }) => id === one);
  assert.equal(denied.is_error, true);
  assert.match(denied.content[0].text, /denied.*too dangerous/);
  assert.equal(said(rest), "all there");
  endTurn(rest);
});

covers(["confirm-ask"], "input that does not fit is refused without asking anyone", async () => {
  const session = await sessionWith(ask);
  const events = await runTurn(api, session, { tool: "Bash", input: { cmd: "true" } }, { say: "sorry" });
  assert.equal(typed(events, "agent.tool_use")[0].evaluated_permission, "deny");
  assert.match(toolResults(events)[0] ?? "", /does not fit/);
  endTurn(events);
});

covers(["confirm-refuse", "confirm-deny"], "answers to what does not wait are refused", async () => {
  const session = await sessionWith(ask, weather);
  const elsewhere = waiting(await runTurn(api, await sessionWith(ask), bash("echo b")))[0] ?? "";
  const asked = await runTurn(api, session, { tools: [bash("echo a"), glob, snow] });
  const [use, search] = typed(asked, "agent.tool_use").map(({ id }) => id);
  const [custom] = typed(asked, "agent.custom_tool_use").map(({ id }) => id);
  assert.deepEqual(waiting(asked), [use, custom]);
  const invalid = async (param: string, ...events: AnyJson[]) =>
    assertError(await post(session, ...events), 400, "invalid_request_error", { param });
  await invalid("events[0].tool_use_id", allow("evt_01h00000000000000000000000"));
  await invalid("events[0].tool_use_id", allow(elsewhere));
  await invalid("events[0].tool_use_id", allow("nonsense"));
  await invalid("events[0].tool_use_id", allow(search));
  await invalid("events[0].tool_use_id", allow(custom));
  await invalid("events[0].custom_tool_use_id", answer(use, "x"));
  await invalid("events[1].tool_use_id", allow(use), deny(use));
  await invalid("events[1].tool_use_id", message("hello"), allow(asked[0].id));
  await invalid("events[0].deny_message", { ...allow(use), deny_message: "no" });
  await invalid("events[0].result", { ...allow(use), result: "maybe" });
  assertError(await post(session, { type: "user.interrupt" }, allow(use)), 409, "conflict_error", {
    param: "events[1].tool_use_id",
  });
  const log = await logOf(session);
  assert.deepEqual(typed(log, "user.tool_confirmation", "user.interrupt"), [], "nothing of it was taken");
  assert.equal(typed(log, "user.message").length, 1);
  assert.deepEqual(waiting(await send(session, allow(use))), [custom]);
  assertError(await post(session, message("and"), answer(custom, "x"), deny(use)), 409, "conflict_error", {
    param: "events[2].tool_use_id",
  });
  assert.equal(typed(await logOf(session), "user.custom_tool_result", "user.message").length, 1);
});

covers(["confirm-refuse"], "a session cannot begin with answers", async () => {
  const agent = await makeAgent(api);
  const environment = await makeEnvironment(api);
  const initial_events = [allow("evt_01h00000000000000000000000")];
  const body = { agent: agent.id, environment_id: environment.id, initial_events };
  assertError(await api.post("/sessions", body), 400, "invalid_request_error", {
    param: "initial_events[0].type",
  });
});

covers(["confirm-once"], "of sixteen answers at once to a call one is taken", async () => {
  const session = await sessionWith(ask);
  const [use = ""] = waiting(await runTurn(api, session, bash("echo ran"), { say: "done" }));
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, index) => post(session, index % 2 === 0 ? allow(use) : deny(use))),
  );
  const [taken, ...more] = answers.filter(({ status }) => status === 200);
  assert.equal(more.length, 0);
  for (const lost of answers.filter(({ status }) => status !== 200)) assertError(lost, 409, "conflict_error");
  const events = await waitForTurn(api, session, taken?.body.data[0].id);
  assert.deepEqual(ended(events), [use]);
  endTurn(events);
});

const interrupts = {
  "an interrupt": (session: string) => post(session, { type: "user.interrupt" }),
  cancelling: (session: string) => api.post(`/sessions/${session}/cancel`),
};
for (const [name, interrupt] of Object.entries(interrupts)) {
  covers(["confirm-interrupt"], `${name} ends the calls that wait`, async () => {
    const session = await sessionWith(ask, weather);
    const asked = await runTurn(
      api,
      session,
      { tools: [bash("echo a > /data/ran"), snow] },
      { say: "never" },
    );
    const calls = waiting(asked);
    assert.equal((await interrupt(session)).status, 200);
    assertError(await post(session, allow(calls[0] ?? "")), 409, "conflict_error");
    const after = await untilIdle(session, asked.at(-1).id);
    assert.deepEqual(ended(after), calls);
    assert.ok(toolResults(after).every((text) => /interrupted/.test(text)));
    assert.deepEqual(after.at(-1).stop_reason, { type: "cancelled" });
    const search = { tool: "Glob", input: { pattern: "ran" } };
    const next = await runTurn(api, session, search, { say: "here" });
    assert.doesNotMatch(toolResults(next)[0] ?? "", /\/ran|^ran$/m, "the call never ran");
    assert.equal(said(next), "here");
  });
}

covers(["confirm-messages"], "a message that comes while a call waits is answered after it", async () => {
  const session = await sessionWith(ask);
  const [use = ""] = waiting(await runTurn(api, session, bash("echo a"), { say: "first" }));
  const sent = await api.ok("POST", `/sessions/${session}/events`, {
    events: [message(JSON.stringify({ steps: [{ say: "second" }] }))],
  });
  const events = await send(session, allow(use));
  assert.equal(said(events), "second");
  endTurn(events);
  const ids = (await logOf(session)).map(({ id }) => id);
  assert.equal(ids.indexOf(events[0].id), ids.indexOf(sent.data[0].id) + 1, "the message started nothing");
});

covers(["confirm-durable"], "waiting calls outlive the service", async () => {
  const own = await Berth.start();
  const first = await own.client();
  const session = await sessionOf(first, ask);
  const [use = ""] = waiting(await runTurn(first, session, bash("echo after"), { say: "done" }));
  await own.kill("SIGKILL");
  const again = await Berth.start({ dataDir: own.dataDir });
  try {
    const client = new (first.constructor as typeof Api)(again.url, first.token);
    const sent = await client.ok("POST", `/sessions/${session}/events`, { events: [allow(use)] });
    const events = await waitForTurn(client, session, sent.data[0].id);
    assert.deepEqual(toolResults(events), ["after"]);
    endTurn(events);
  } finally {
    await again.stop();
  }
});

covers(["confirm-durable"], "an ended session takes no answers", async () => {
  for (const [way, status] of [
    ["archive", 403],
    ["terminate", 409],
  ] as const) {
    const session = await sessionWith(ask);
    const [use = ""] = waiting(await runTurn(api, session, bash("echo a")));
    await api.ok("POST", `/sessions/${session}/${way}`);
    assertError(
      await post(session, allow(use)),
      status,
      status === 403 ? "permission_error" : "conflict_error",
    );
  }
});

covers(["custom-tool"], "custom tools are kept as they were given, and held to their form", async () => {
  const made = await makeAgent(api, { tools: [ask, weather] });
  assert.deepEqual(made.tools[1], weather);
  assert.equal(made.tools[0].configs[0].permission_policy.type, "always_ask");
  const again = await api.ok("POST", `/agents/${made.id}`, { version: 1, tools: made.tools });
  assert.equal(again.version, 1, "the same tools are no new version");
  const many = Array.from({ length: 129 }, (_, index) => ({ ...weather, name: `tool_${index}` }));
  assert.equal((await makeAgent(api, { tools: many.slice(1) })).tools.length, 128);
  const bad = async (param: string, ...tools: AnyJson[]) => {
    const answer = await api.post("/agents", { name: "a", model: "rehearsal/steps", tools });
    assertError(answer, 400, "invalid_request_error", { param });
  };
  await bad("tools", ...many);
  await bad("tools[1].name", weather, weather);
  await bad("tools[0].name", { ...weather, name: "Bash" });
  await bad("tools[0].name", { ...weather, name: "mcp__x" });
  await bad("tools[0].name", { ...weather, name: "no spaces" });
  await bad("tools[0].name", { ...weather, name: "x".repeat(65) });
  await bad("tools[0].description", { ...weather, description: "" });
  await bad("tools[1].type", ask, ask);
  const badSchema = (param: string, input_schema: AnyJson) =>
    bad(`tools[0].input_schema${param}`, { ...weather, input_schema });
  await badSchema("", "object");
  await badSchema(".type", { type: "string" });
  await badSchema(".type", {});
  await badSchema(".required", { type: "object", required: "place" });
  await badSchema(".properties.a.type", { type: "object", properties: { a: { type: "text" } } });
  await badSchema(".properties.a", { type: "object", properties: { a: "string" } });
});

covers(["custom-call", "custom-result"], "the client runs its own tool and sends the result", async () => {
  const session = await sessionWith(weather);
  const called = await runTurn(api, session, snow, { say: "dress warm", expect: "snow" });
  const [use] = typed(called, "agent.custom_tool_use");
  assert.deepEqual([use.name, use.input], ["weather", { place: "Oslo" }]);
  assert.deepEqual(waiting(called), [use.id]);
  const events = await send(session, answer(use.id, "snow"));
  assert.deepEqual(ended(events), [], "the client's event is the result");
  assert.equal(said(events), "dress warm");
  endTurn(events);
});

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==";
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } };

covers(["custom-result"], "a result may be an image, an error, or nothing", async () => {
  const session = await sessionWith(weather);
  const result = (id: string, fields: AnyJson) => ({
    type: "user.custom_tool_result",
    custom_tool_use_id: id,
    ...fields,
  });
  const call = async (expect: string, fields: AnyJson) => {
    const [use = ""] = waiting(await runTurn(api, session, snow, { say: "as told", expect }));
    const events = await send(session, result(use, fields));
    assert.equal(said(events), "as told");
    return events[0];
  };
  assert.deepEqual((await call("[image/png, 96 characters]", { content: [image] })).content, [image]);
  await call("nowhere", { content: [{ type: "text", text: "nowhere" }], is_error: true });
  const empty = await call("returned nothing", {});
  assert.deepEqual([empty.content, empty.is_error], [[], false]);
  const [use = ""] = waiting(await runTurn(api, session, snow));
  const bad = async (field: string, fields: AnyJson) =>
    assertError(await post(session, result(use, fields)), 400, "invalid_request_error", {
      param: `events[0].${field}`,
    });
  await bad("content", { content: "text" });
  await bad("content[0].text", { content: [{ type: "text", text: "" }] });
  await bad("content[0].type", { content: [{ type: "video" }] });
  const broken = { ...image, source: { ...image.source, data: "!!" } };
  await bad("content[0].source.data", { content: [broken] });
  await bad("is_error", { is_error: "yes" });
});

covers(["custom-call"], "input that does not fit never reaches the client", async () => {
  const session = await sessionWith(weather);
  const call = { tool: "weather", input: { place: 5 } };
  const events = await runTurn(api, session, call, { say: "sorry", expect: "does not fit" });
  assert.deepEqual(typed(events, "agent.custom_tool_use"), []);
  assert.equal(typed(events, "agent.tool_use")[0].evaluated_permission, "deny");
  assert.equal(said(events), "sorry");
});
