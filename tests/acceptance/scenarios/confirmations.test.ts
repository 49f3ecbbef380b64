import assert from "node:assert/strict";
import { type AnyJson, type Api, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults, waitForTurn } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";
import { readEventsUntil } from "../harness/stream.ts";

const { api, berth } = await sharedService();

const ASK_BASH = {
  type: "agent_toolset_20260401",
  configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }],
};
const WEATHER = {
  type: "custom",
  name: "weather",
  description: "The weather at a place.",
  input_schema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};
const WEATHER_CALL = { tool: "weather", input: { place: "Oslo" } };
const GLOB_CALL = { tool: "Glob", input: { pattern: "*.none" } };

const userMessage = (text: string) => ({ type: "user.message", content: [{ type: "text", text }] });
const allow = (id: string) => ({ type: "user.tool_confirmation", tool_use_id: id, result: "allow" });
const deny = (id: string, words: AnyJson = {}) => ({ ...allow(id), result: "deny", ...words });
const customResult = (id: string, text: string) => ({
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

/** Sends events and returns the log from the first of them to the next session.status_idle. */
async function send(session: string, ...events: AnyJson[]): Promise<AnyJson[]> {
  const sent = await api.ok("POST", `/sessions/${session}/events`, { events });
  return waitForTurn(api, session, sent.data[0].id);
}

/** Returns the events after the one with this id, to the next session.status_idle. */
async function untilIdle(session: string, id: string): Promise<AnyJson[]> {
  let found = false;
  const events = await readEventsUntil(api, session, (event) => {
    if (found && event.type === "session.status_idle") return true;
    found ||= event.id === id;
    return false;
  });
  return events.slice(events.findIndex((event) => event.id === id) + 1);
}

async function logOf(session: string): Promise<AnyJson[]> {
  return (await api.ok("GET", `/sessions/${session}/events?limit=100`)).data;
}

const ofType = (events: AnyJson[], ...types: string[]): AnyJson[] =>
  events.filter(({ type }) => types.includes(type));

const messageText = (events: AnyJson[]): string =>
  ofType(events, "agent.message")
    .map(({ content }) => content[0].text)
    .join("\n");

/** Returns the ids of the calls that have a result from the service. */
const completedCalls = (events: AnyJson[]): string[] =>
  ofType(events, "agent.tool_result").map(({ tool_use_id: id }) => id);

/** Returns the ids of the calls that the newest session.status_idle waits for. */
function waitingCalls(events: AnyJson[]): string[] {
  const { stop_reason: reason } = ofType(events, "session.status_idle").at(-1);
  assert.equal(reason.type, "requires_action", JSON.stringify(events));
  return reason.event_ids;
}

function assertEndTurn(events: AnyJson[]): void {
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" });
}

covers(
  ["confirm-who"],
  "who decided: in the event, by name, and in the audit log with the call",
  async () => {
    const admin = await berth.client({ user: "admin@example.com", role: "admin" });
    const session = await sessionWith(ASK_BASH);
    const turn = await runTurn(api, session, bash("true"), { say: "done" });
    const [call = ""] = waitingCalls(turn);
    const { data: sent } = await admin.ok("POST", `/sessions/${session}/events`, { events: [allow(call)] });
    await waitForTurn(api, session, sent[0].id);
    const [stored] = ofType(await logOf(session), "user.tool_confirmation");
    const { principal } = await admin.ok("GET", "/whoami");
    const name = berth.nameOf("admin@example.com");
    const { id } = principal;
    assert.deepEqual(stored.created_by, { type: "user", id, name, via: "personal_access_token" });
    const [message] = ofType(await logOf(session), "user.message");
    assert.equal(message.created_by.id, (await api.ok("GET", "/whoami")).principal.id);
    const { data: names } = await api.ok("GET", `/principals?ids[]=${id}`);
    assert.deepEqual(names, [{ type: "user", id, name }]);
    const printed = await berth.command("admin", "audit", "--resource", call, "--json");
    const { operation, actor, resources } = JSON.parse(printed);
    assert.deepEqual(
      [operation, actor, resources],
      ["events.send allow", berth.nameOf("admin@example.com"), [session, call]],
    );
  },
);

covers(
  ["confirm-ask", "confirm-allow"],
  "always_ask: the call waits and runs when it is allowed",
  async () => {
    const session = await sessionWith(ASK_BASH);
    const firstTurn = await runTurn(api, session, bash("echo $((6 * 7))"), { say: "done", expect: "42" });
    const [use] = ofType(firstTurn, "agent.tool_use");
    assert.equal(use.evaluated_permission, "ask");
    assert.deepEqual(waitingCalls(firstTurn), [use.id]);
    assert.deepEqual(completedCalls(firstTurn), [], "no call ran");
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
    assert.deepEqual([completedCalls(ran), toolResults(ran)], [[use.id], ["42"]]);
    assert.equal(messageText(ran), "done");
    assertEndTurn(ran);
    const [stored] = ofType(await logOf(session), "user.tool_confirmation");
    assert.match(stored.processed_at, /Z$/);
  },
);

covers(
  ["confirm-ask", "confirm-allow", "confirm-deny"],
  "several waiting calls: each is confirmed or denied on its own",
  async () => {
    const session = await sessionWith(ASK_BASH);
    const calls = { tools: [bash("echo one"), GLOB_CALL, bash("echo two"), bash("echo three")] };
    const firstTurn = await runTurn(api, session, calls, { say: "all there", expect: "too dangerous" });
    const [one, search, two, three] = ofType(firstTurn, "agent.tool_use").map(({ id }) => id);
    assert.deepEqual(waitingCalls(firstTurn), [one, two, three]);
    assert.deepEqual(completedCalls(firstTurn), [search], "the call without always_ask ran");
    const second = await send(session, allow(two));
    assert.deepEqual(completedCalls(second), [two]);
    assert.deepEqual(waitingCalls(second), [one, three], "the session is idle with the remaining calls");
    assert.deepEqual(ofType(second, "span.model_request_start"), []);
    const rest = await send(session, deny(one, { deny_message: "too dangerous" }), allow(three));
    assert.deepEqual(completedCalls(rest).toSorted(), [one, three].toSorted());
    const denied = ofType(rest, "agent.tool_result").find(({ tool_use_id: id }) => id === one);
    assert.equal(denied.is_error, true);
    assert.match(denied.content[0].text, /denied.*too dangerous/);
    assert.equal(messageText(rest), "all there");
    assertEndTurn(rest);
  },
);

covers(["confirm-ask"], "always_ask: invalid input is denied without a confirmation", async () => {
  const session = await sessionWith(ASK_BASH);
  const events = await runTurn(api, session, { tool: "Bash", input: { cmd: "true" } }, { say: "sorry" });
  assert.equal(ofType(events, "agent.tool_use")[0].evaluated_permission, "deny");
  assert.match(toolResults(events)[0] ?? "", /does not fit/);
  assertEndTurn(events);
});

covers(
  ["confirm-refuse", "confirm-deny"],
  "confirmation: rejected for anything but a waiting call of the session",
  async () => {
    const session = await sessionWith(ASK_BASH, WEATHER);
    const elsewhere = waitingCalls(await runTurn(api, await sessionWith(ASK_BASH), bash("echo b")))[0] ?? "";
    const firstTurn = await runTurn(api, session, { tools: [bash("echo a"), GLOB_CALL, WEATHER_CALL] });
    const [use, search] = ofType(firstTurn, "agent.tool_use").map(({ id }) => id);
    const [custom] = ofType(firstTurn, "agent.custom_tool_use").map(({ id }) => id);
    assert.deepEqual(waitingCalls(firstTurn), [use, custom]);
    const invalid = async (param: string, ...events: AnyJson[]) =>
      assertError(await post(session, ...events), 400, "invalid_request_error", { param });
    await invalid("events[0].tool_use_id", allow("evt_01h00000000000000000000000"));
    await invalid("events[0].tool_use_id", allow(elsewhere));
    await invalid("events[0].tool_use_id", allow("nonsense"));
    await invalid("events[0].tool_use_id", allow(search));
    await invalid("events[0].tool_use_id", allow(custom));
    await invalid("events[0].custom_tool_use_id", customResult(use, "x"));
    await invalid("events[1].tool_use_id", allow(use), deny(use));
    await invalid("events[1].tool_use_id", userMessage("hello"), allow(firstTurn[0].id));
    await invalid("events[0].deny_message", { ...allow(use), deny_message: "no" });
    await invalid("events[0].result", { ...allow(use), result: "maybe" });
    assertError(await post(session, { type: "user.interrupt" }, allow(use)), 409, "conflict_error", {
      param: "events[1].tool_use_id",
    });
    const log = await logOf(session);
    assert.deepEqual(ofType(log, "user.tool_confirmation", "user.interrupt"), [], "no event was accepted");
    assert.equal(ofType(log, "user.message").length, 1);
    assert.deepEqual(waitingCalls(await send(session, allow(use))), [custom]);
    assertError(
      await post(session, userMessage("and"), customResult(custom, "x"), deny(use)),
      409,
      "conflict_error",
      {
        param: "events[2].tool_use_id",
      },
    );
    assert.equal(ofType(await logOf(session), "user.custom_tool_result", "user.message").length, 1);
  },
);

covers(["confirm-refuse"], "initial_events: a confirmation is rejected with 400", async () => {
  const agent = await makeAgent(api);
  const environment = await makeEnvironment(api);
  const initial_events = [allow("evt_01h00000000000000000000000")];
  const body = { agent: agent.id, environment_id: environment.id, initial_events };
  assertError(await api.post("/sessions", body), 400, "invalid_request_error", {
    param: "initial_events[0].type",
  });
});

covers(["confirm-once"], "concurrent confirmations: one of sixteen is accepted", async () => {
  const session = await sessionWith(ASK_BASH);
  const [use = ""] = waitingCalls(await runTurn(api, session, bash("echo ran"), { say: "done" }));
  const responses = await Promise.all(
    Array.from({ length: 16 }, (_, index) => post(session, index % 2 === 0 ? allow(use) : deny(use))),
  );
  const [taken, ...more] = responses.filter(({ status }) => status === 200);
  assert.equal(more.length, 0);
  for (const lost of responses.filter(({ status }) => status !== 200))
    assertError(lost, 409, "conflict_error");
  const events = await waitForTurn(api, session, taken?.body.data[0].id);
  assert.deepEqual(completedCalls(events), [use]);
  assertEndTurn(events);
});

const INTERRUPTS = {
  interrupt: (session: string) => post(session, { type: "user.interrupt" }),
  cancel: (session: string) => api.post(`/sessions/${session}/cancel`),
};
for (const [name, interrupt] of Object.entries(INTERRUPTS)) {
  covers(["confirm-interrupt"], `${name}: the waiting calls end`, async () => {
    const session = await sessionWith(ASK_BASH, WEATHER);
    const firstTurn = await runTurn(
      api,
      session,
      { tools: [bash("echo a > /data/ran"), WEATHER_CALL] },
      { say: "never" },
    );
    const calls = waitingCalls(firstTurn);
    assert.equal((await interrupt(session)).status, 200);
    assertError(await post(session, allow(calls[0] ?? "")), 409, "conflict_error");
    const after = await untilIdle(session, firstTurn.at(-1).id);
    assert.deepEqual(completedCalls(after), calls);
    assert.ok(toolResults(after).every((text) => /interrupted/.test(text)));
    assert.deepEqual(after.at(-1).stop_reason, { type: "cancelled" });
    const search = { tool: "Glob", input: { pattern: "ran" } };
    const next = await runTurn(api, session, search, { say: "here" });
    assert.doesNotMatch(toolResults(next)[0] ?? "", /\/ran|^ran$/m, "the call never ran");
    assert.equal(messageText(next), "here");
  });
}

covers(["confirm-messages"], "a message sent while a call waits: processed after the call", async () => {
  const session = await sessionWith(ASK_BASH);
  const [use = ""] = waitingCalls(await runTurn(api, session, bash("echo a"), { say: "first" }));
  const sent = await api.ok("POST", `/sessions/${session}/events`, {
    events: [userMessage(JSON.stringify({ steps: [{ say: "second" }] }))],
  });
  const events = await send(session, allow(use));
  assert.equal(messageText(events), "second");
  assertEndTurn(events);
  const ids = (await logOf(session)).map(({ id }) => id);
  assert.equal(
    ids.indexOf(events[0].id),
    ids.indexOf(sent.data[0].id) + 1,
    "the message did not start a turn",
  );
});

covers(["confirm-durable"], "waiting calls survive a kill of the service", async () => {
  const own = await Berth.start();
  const first = await own.client();
  const session = await sessionOf(first, ASK_BASH);
  const [use = ""] = waitingCalls(await runTurn(first, session, bash("echo after"), { say: "done" }));
  await own.kill("SIGKILL");
  const again = await Berth.start({ dataDir: own.dataDir });
  try {
    const client = new (first.constructor as typeof Api)(again.url, first.token);
    const sent = await client.ok("POST", `/sessions/${session}/events`, { events: [allow(use)] });
    const events = await waitForTurn(client, session, sent.data[0].id);
    assert.deepEqual(toolResults(events), ["after"]);
    assertEndTurn(events);
  } finally {
    await again.stop();
  }
});

covers(["confirm-durable"], "archived or terminated session: a confirmation is rejected", async () => {
  for (const [way, status] of [
    ["archive", 403],
    ["terminate", 409],
  ] as const) {
    const session = await sessionWith(ASK_BASH);
    const [use = ""] = waitingCalls(await runTurn(api, session, bash("echo a")));
    await api.ok("POST", `/sessions/${session}/${way}`);
    assertError(
      await post(session, allow(use)),
      status,
      status === 403 ? "permission_error" : "conflict_error",
    );
  }
});

covers(
  ["custom-tool"],
  "custom tools: returned as given; invalid definitions are rejected with 400",
  async () => {
    const made = await makeAgent(api, { tools: [ASK_BASH, WEATHER] });
    assert.deepEqual(made.tools[1], WEATHER);
    assert.equal(made.tools[0].configs[0].permission_policy.type, "always_ask");
    const again = await api.ok("POST", `/agents/${made.id}`, { version: 1, tools: made.tools });
    assert.equal(again.version, 1, "the same tools do not create a version");
    const many = Array.from({ length: 129 }, (_, index) => ({ ...WEATHER, name: `tool_${index}` }));
    assert.equal((await makeAgent(api, { tools: many.slice(1) })).tools.length, 128);
    const bad = async (param: string, ...tools: AnyJson[]) => {
      const response = await api.post("/agents", { name: "a", model: "rehearsal/steps", tools });
      assertError(response, 400, "invalid_request_error", { param });
    };
    await bad("tools", ...many);
    await bad("tools[1].name", WEATHER, WEATHER);
    await bad("tools[0].name", { ...WEATHER, name: "Bash" });
    await bad("tools[0].name", { ...WEATHER, name: "mcp__x" });
    await bad("tools[0].name", { ...WEATHER, name: "no spaces" });
    await bad("tools[0].name", { ...WEATHER, name: "x".repeat(65) });
    await bad("tools[0].description", { ...WEATHER, description: "" });
    await bad("tools[1].type", ASK_BASH, ASK_BASH);
    const badSchema = (param: string, input_schema: AnyJson) =>
      bad(`tools[0].input_schema${param}`, { ...WEATHER, input_schema });
    await badSchema("", "object");
    await badSchema(".type", { type: "string" });
    await badSchema(".type", {});
    await badSchema(".required", { type: "object", required: "place" });
    await badSchema(".properties.a.type", { type: "object", properties: { a: { type: "text" } } });
    await badSchema(".properties.a.maxLength", {
      type: "object",
      properties: { a: { type: "string", maxLength: "5" } },
    });
    await badSchema(".properties.a.minimum", {
      type: "object",
      properties: { a: { type: "number", minimum: "1" } },
    });
    await badSchema(".properties.a", { type: "object", properties: { a: "string" } });
  },
);

covers(
  ["custom-call", "custom-result"],
  "custom tool: the client receives the call and sends the result",
  async () => {
    const session = await sessionWith(WEATHER);
    const called = await runTurn(api, session, WEATHER_CALL, { say: "dress warm", expect: "snow" });
    const [use] = ofType(called, "agent.custom_tool_use");
    assert.deepEqual([use.name, use.input], ["weather", { place: "Oslo" }]);
    assert.deepEqual(waitingCalls(called), [use.id]);
    const events = await send(session, customResult(use.id, "snow"));
    assert.deepEqual(completedCalls(events), [], "the client's event is the only result");
    assert.equal(messageText(events), "dress warm");
    assertEndTurn(events);
  },
);

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==";
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } };

covers(["custom-result"], "custom tool result: an image, an error or nothing", async () => {
  const session = await sessionWith(WEATHER);
  const result = (id: string, fields: AnyJson) => ({
    type: "user.custom_tool_result",
    custom_tool_use_id: id,
    ...fields,
  });
  const call = async (expect: string, fields: AnyJson) => {
    const [use = ""] = waitingCalls(await runTurn(api, session, WEATHER_CALL, { say: "received", expect }));
    const events = await send(session, result(use, fields));
    assert.equal(messageText(events), "received");
    return events[0];
  };
  assert.deepEqual((await call("[image/png, 96 characters]", { content: [IMAGE] })).content, [IMAGE]);
  await call("nowhere", { content: [{ type: "text", text: "nowhere" }], is_error: true });
  const empty = await call("returned nothing", {});
  assert.deepEqual([empty.content, empty.is_error], [[], false]);
  const [use = ""] = waitingCalls(await runTurn(api, session, WEATHER_CALL));
  const bad = async (field: string, fields: AnyJson) =>
    assertError(await post(session, result(use, fields)), 400, "invalid_request_error", {
      param: `events[0].${field}`,
    });
  await bad("content", { content: "text" });
  await bad("content[0].text", { content: [{ type: "text", text: "" }] });
  await bad("content[0].type", { content: [{ type: "video" }] });
  const broken = { ...IMAGE, source: { ...IMAGE.source, data: "!!" } };
  await bad("content[0].source.data", { content: [broken] });
  await bad("is_error", { is_error: "yes" });
});

covers(["custom-call"], "custom tool: invalid input never reaches the client", async () => {
  const session = await sessionWith(WEATHER);
  const call = { tool: "weather", input: { place: 5 } };
  const events = await runTurn(api, session, call, { say: "sorry", expect: "does not fit" });
  assert.deepEqual(ofType(events, "agent.custom_tool_use"), []);
  assert.equal(ofType(events, "agent.tool_use")[0].evaluated_permission, "deny");
  assert.equal(messageText(events), "sorry");
});
