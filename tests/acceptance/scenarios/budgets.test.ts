// Budgets of sessions and spend limits of their owners, with the rehearsal model at a price.
import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { killRunners } from "../../crash/processes.ts";
import { type AnyJson, type Api, assertError, type Json } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, steps, waitForTurn } from "../harness/fixtures.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

/** Dollars for a million tokens: an empty request costs about 18 cents. */
const PRICE = { date: "2026-11-01", input: 100, output: 100 };

let berth: Berth;
before(async () => {
  const file = join(await mkdtemp(join(tmpdir(), "berth-budgets-")), "models.json");
  const providers = { local: { kind: "openai-compatible", base_url: "http://127.0.0.1:1/v1" } };
  await writeFile(file, JSON.stringify({ providers, models: [{ id: "rehearsal/steps", price: PRICE }] }));
  berth = await Berth.start({ settings: { BERTH_MODELS_FILE: file } });
});
after(() => berth.stop());

const limit = (amount: string) => ({ type: "limit", max_list_cost: { amount, currency: "USD" } });

async function makeSession(api: Api, fields: Record<string, Json>): Promise<AnyJson> {
  const [agent, environment] = [await makeAgent(api), await makeEnvironment(api)];
  return await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id, ...fields });
}

/** Returns the nanodollars of the requests in a log. */
function costOf(events: readonly AnyJson[]): number {
  const used = events.filter(({ type }) => type === "span.model_request_end").map((end) => end.model_usage);
  return used.reduce(
    (sum, usage) => sum + 100_000 * ((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0)),
    0,
  );
}

const cents = (nano: number) => `${Math.ceil(nano / 1e7)}`;
const logOf = async (api: Api, id: string): Promise<AnyJson[]> =>
  (await api.ok("GET", `/sessions/${id}/events?limit=100`)).data;
const endOf = (events: readonly AnyJson[]) => events.at(-1)?.stop_reason;
const isIdle = ({ type }: AnyJson) => type === "session.status_idle";

covers(
  ["budget-session", "budget-stopped"],
  "a session costs to the cent what its requests do, stops before its budget, and continues with more",
  async () => {
    const api = await berth.client({ user: "budget@example.com", org: "budgets" });
    const webhook = await api.ok("POST", "/webhooks", {
      ...{
        url: "https://hooks.example.com/berth",
        enabled_events: ["session.budget_reached", "session.updated"],
      },
    });
    const { id, budget, usage } = await makeSession(api, { budget: limit("200") });
    assert.deepEqual([budget, usage.list_cost], [limit("200"), { amount: "0", currency: "USD" }]);
    const calls = Array.from({ length: 30 }, (_, index) => bash(`echo ${index}`));
    const first = await runTurn(api, id, ...calls, { say: "all done" });
    assert.deepEqual(endOf(first), { type: "budget_reached", scope: "session" });
    const session = await api.ok("GET", `/sessions/${id}`);
    const spent = costOf(first);
    assert.ok(spent > 1e9 && spent <= 2e9, `${spent}`);
    assert.equal(session.usage.list_cost.amount, cents(spent));
    assert.equal(session.list_cost_usd, spent / 1e9);
    assert.deepEqual([session.status, session.last_turn.outcome], ["idle", "budget_reached"]);
    const told = first.findLast(({ type }) => type === "session.usage");
    assert.deepEqual([told?.usage, told?.budget], [session.usage, limit("200")]);

    const message = { events: [steps({ say: "no" })] };
    assertError(await api.post(`/sessions/${id}/events`, message), 400, "invalid_request_error", {
      message:
        "The budget of the session has too little left for another request. Until it has more, the session takes only 'user.tool_confirmation', 'user.custom_tool_result' and 'user.interrupt'.",
      param: "events",
    });
    const raise = async (amount: string) => await api.post(`/sessions/${id}`, { budget: limit(amount) });
    assertError(await raise(`${Math.floor(spent / 1e7)}`), 400, "invalid_request_error", {
      param: "budget.max_list_cost.amount",
    });
    const last = first.at(-1)?.id;
    assert.equal((await raise("2000")).status, 200);
    const seen = await readEventsUntil(api, id, (event) => isIdle(event) && event.id !== last);
    assert.deepEqual(endOf(seen), { type: "end_turn" });
    assert.match(JSON.stringify(seen), /all done/);
    assert.equal(seen.filter(({ type }) => type === "agent.tool_use").length, 30, "no call ran twice");
    const after = await api.ok("GET", `/sessions/${id}`);
    assert.equal(after.usage.list_cost.amount, cents(costOf(seen)));
    const updated = seen.find(({ type }) => type === "session.updated");
    assert.deepEqual(updated?.budget, limit("2000"));
    const { data: deliveries } = await api.ok("GET", `/webhooks/${webhook.id}/deliveries`);
    assert.deepEqual(
      deliveries.map(({ event_type, object_id }: AnyJson) => [event_type, object_id]).toSorted(),
      [
        ["session.budget_reached", id],
        ["session.updated", id],
      ],
    );

    assert.equal((await api.ok("POST", `/sessions/${id}`, { budget: null })).budget, null);
    assertError(await raise("3000"), 400, "invalid_request_error", { param: "budget" });
    assert.deepEqual(endOf(await runTurn(api, id, { say: "on" })), { type: "end_turn" });
  },
);

covers(["budget-stopped"], "a stopped session takes an interrupt, and then still no message", async () => {
  const api = await berth.client({ user: "interrupt@example.com", org: "budgets" });
  const { id } = await makeSession(api, { budget: limit("10") });
  const events = await runTurn(api, id, { say: "too dear" });
  assert.deepEqual(endOf(events), { type: "budget_reached", scope: "session" });
  assert.equal(costOf(events), 0);
  await api.ok("POST", `/sessions/${id}/events`, { events: [{ type: "user.interrupt" }] });
  const isTaken = async () =>
    (await logOf(api, id)).some((event) => event.type === "user.interrupt" && event.processed_at !== null);
  await waitUntil(isTaken, () => "the interrupt was not taken");
  assert.equal((await api.post(`/sessions/${id}/events`, { events: [steps({ say: "no" })] })).status, 400);
  await api.ok("POST", `/sessions/${id}`, { budget: limit("900") });
  await readEventsUntil(api, id, (event) => isIdle(event) && event.stop_reason.type === "cancelled");
  assert.deepEqual(endOf(await runTurn(api, id, { say: "cheap enough" })), { type: "end_turn" });
});

covers(["budget-price"], "a budget and a spend limit need prices", async () => {
  const api = await berth.client({ user: "price@example.com", org: "unpriced" });
  const environment = await makeEnvironment(api);
  const agent = await makeAgent(api, { model: "local/unknown" });
  const body = { agent: agent.id, environment_id: environment.id };
  const message =
    "The price of model 'local/unknown' is not known, so nothing can be held to a budget or a spend limit. The operator can give it a 'price' in the models file.";
  assertError(await api.post("/sessions", { ...body, budget: limit("100") }), 400, "invalid_request_error", {
    ...{ message, param: "budget" },
  });
  const tools = [
    { type: "agent_toolset_20260401", configs: [{ name: "Explore", enabled: true, model: "local/unknown" }] },
  ];
  const explores = await makeAgent(api, { tools });
  const other = { ...body, agent: explores.id, budget: limit("100") };
  assertError(await api.post("/sessions", other), 400, "invalid_request_error", { message });
  const initial_events = [steps({ say: "no" })];
  const deploy = { ...body, name: "d", initial_events };
  const follow = { pull_request: true, max_list_cost: { amount: "100", currency: "USD" } };
  const refused = { budget: limit("100"), "follow.max_list_cost": follow };
  for (const [param, value] of Object.entries(refused)) {
    const [field = ""] = param.split(".");
    const given = await api.post("/deployments", { ...deploy, [field]: value });
    assertError(given, 400, "invalid_request_error", { message, param });
    const { id } = await api.ok("POST", "/deployments", deploy);
    const late = await api.post(`/deployments/${id}`, { [field]: value });
    assertError(late, 400, "invalid_request_error", { message, param });
    assert.equal((await api.ok("GET", `/deployments/${id}`))[field], null);
    const priced = await makeAgent(api);
    const held = await api.ok("POST", "/deployments", { ...deploy, agent: priced.id, [field]: value });
    const moved = await api.post(`/deployments/${held.id}`, { agent: agent.id });
    assertError(moved, 400, "invalid_request_error", { message, param: "agent" });
    await api.ok("POST", `/deployments/${held.id}`, { agent: agent.id, [field]: null });
  }
  const turns = await makeAgent(api);
  const { id } = await api.ok("POST", "/deployments", { ...deploy, agent: turns.id, budget: limit("100") });
  await api.ok("POST", `/agents/${turns.id}`, { version: 1, model: "local/unknown" });
  assert.deepEqual((await api.ok("POST", `/deployments/${id}/run`)).error, {
    ...{ type: "session_creation_rejected_error", message },
  });
  const exploring = { ...deploy, agent: explores.id, budget: limit("100") };
  assertError(await api.post("/deployments", exploring), 400, "invalid_request_error", { message });
  for (const amount of ["0", "01", "1.5", "-1", "100000000", ""]) {
    const given = await api.post("/sessions", { ...body, budget: limit(amount) });
    assertError(given, 400, "invalid_request_error", { param: "budget.max_list_cost.amount" });
  }
});

/** Sets limits of the user or the organization of a client. */
async function setLimits(api: Api, kind: "user" | "organization", values: AnyJson): Promise<AnyJson> {
  const { principal, organization } = await api.ok("GET", "/whoami");
  const operator = await berth.operator();
  const owner = kind === "user" ? principal.id : organization.id;
  return await operator.ok("POST", `/api/v1/admin/limits/${owner}`, values);
}

const usedOf = (limits: AnyJson, name: string) => limits.data.find((one: AnyJson) => one.name === name).used;

/** Returns the nanodollars of all requests of these sessions. */
async function spentOf(api: Api, ids: readonly string[]): Promise<number> {
  const logs = await Promise.all(ids.map((id) => logOf(api, id)));
  return logs.reduce((sum, log) => sum + costOf(log), 0);
}

covers(
  ["budget-owners"],
  "32 sessions at the edge of one limit: the sum is never above it, and more money lets all continue",
  async () => {
    const api = await berth.client({ user: "edge@example.com", org: "edge" });
    // Sessions with a budget ask the database for the limits of their owners at once, others after five seconds.
    await setLimits(api, "organization", { spend_cents: 1_000 });
    const [agent, environment] = [await makeAgent(api), await makeEnvironment(api)];
    const body = { agent: agent.id, environment_id: environment.id };
    const first = await api.ok("POST", "/sessions", { ...body, budget: limit("90000") });
    await runTurn(api, first.id, { say: "one of 33" });
    const calls = Array.from({ length: 3 }, (_, index) => bash(`echo ${index}`));
    const sessions: AnyJson[] = await Promise.all(
      Array.from({ length: 32 }, () => api.ok("POST", "/sessions", { ...body, budget: limit("90000") })),
    );
    const ids = sessions.map(({ id }) => id);
    const ends = await Promise.all(
      ids.map(async (id) => endOf(await runTurn(api, id, ...calls, { say: "done" }))),
    );
    const reached = ends.filter(({ type }) => type === "budget_reached");
    assert.ok(reached.length > 16, JSON.stringify(ends));
    for (const { scope } of reached) assert.equal(scope, "organization");
    const spent = await spentOf(api, [first.id, ...ids]);
    assert.ok(spent <= 10e9 && spent > 8e9, `${spent}`);
    const limits = await setLimits(api, "user", { spend_cents_per_day: 900_000 });
    assert.equal(usedOf(limits, "spend_cents"), Number(cents(spent)));

    await setLimits(api, "organization", { spend_cents: 1 });
    let answer = await api.post("/sessions", body);
    await waitUntil(
      async () => {
        if (answer.status !== 409) answer = await api.post("/sessions", body);
        return answer.status === 409;
      },
      () => "the limit is not known",
    );
    assertError(answer, 409, "conflict_error", {
      message: "The organization's spend limit of 0.01 US dollars is reached.",
    });
    await setLimits(api, "organization", { spend_cents: 900_000 });
    await Promise.all(
      ids.map((id) =>
        readEventsUntil(api, id, (event) => isIdle(event) && event.stop_reason.type === "end_turn"),
      ),
    );
    const all = await spentOf(api, [first.id, ...ids]);
    const total = await setLimits(api, "organization", { spend_cents: 900_000 });
    assert.equal(usedOf(total, "spend_cents"), Number(cents(all)));
  },
);

covers(
  ["budget-owners"],
  "a day's limit of a user stops a session until the database's clock says that the day has turned",
  async () => {
    const api = await berth.client({ user: "day@example.com", org: "days" });
    await setLimits(api, "user", { spend_cents_per_day: 10 });
    const { id } = await makeSession(api, { budget: limit("90000") });
    const stopped = await runTurn(api, id, { say: "today is full" });
    assert.deepEqual(endOf(stopped), { type: "budget_reached", scope: "user_day" });
    const refused = await api.post(`/sessions/${id}/events`, { events: [steps({ say: "no" })] });
    assertError(refused, 400, "invalid_request_error", {
      message: /^Today's spend limit of the session's user has too little left/,
    });
    const { id: elsewhere } = await makeSession(api, { budget: limit("90000") });
    assert.deepEqual(endOf(await runTurn(api, elsewhere, { say: "me too" })), endOf(stopped));
    await setLimits(api, "user", { spend_cents_per_day: 5_000 });
    const seen = await readEventsUntil(
      api,
      id,
      (event) => isIdle(event) && event.stop_reason.type === "end_turn",
    );
    assert.match(JSON.stringify(seen), /today is full/);
  },
);

covers(
  ["budget-owners"],
  "a runner that dies during a request: it is charged once, at its most",
  async () => {
    const api = await berth.client({ user: "dies@example.com", org: "dies" });
    const { id } = await makeSession(api, { budget: limit("1000") });
    const sent = await api.ok("POST", `/sessions/${id}/events`, {
      events: [steps({ wait_ms: 3_600_000 }, { say: "never" })],
    });
    await readEventsUntil(api, id, ({ type }) => type === "span.model_request_start");
    const isReserved = async () => {
      const reply = await api.post(`/sessions/${id}`, { budget: limit("1") });
      return /more than '([0-9]+)'/.exec(JSON.stringify(reply.body))?.[1] ?? "0";
    };
    let reserved = "0";
    while (reserved === "0") reserved = await isReserved();
    killRunners(berth);
    let ends = 0;
    await readEventsUntil(api, id, ({ type }) => type === "span.model_request_end" && ++ends === 1);
    await api.ok("POST", `/sessions/${id}/events`, { events: [{ type: "user.interrupt" }] });
    await waitForTurn(api, id, sent.data[0].id);
    const session = await api.ok("GET", `/sessions/${id}`);
    const charged = Number(session.usage.list_cost.amount);
    assert.ok(charged >= Number(reserved) - 1, `${charged} of ${reserved}`);
    assert.ok(charged <= 1_000);
  },
);
