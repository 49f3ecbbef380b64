import assert from "node:assert/strict";
import { after } from "node:test";
import { Webhook } from "standardwebhooks";
import { type AnyJson, type Api, assertError, type Json } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, makeSession, runTurn, steps } from "../harness/fixtures.ts";
import { waitUntil } from "../harness/wait-until.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../harness/webhook-receiver.ts";

const ABSENT = "whk_01h00000000000000000000000";
const receiver = await startWebhookReceiver((response, { path }) => {
  const [, status = "204"] = /^\/status\/(\d+)/.exec(path) ?? [];
  response.writeHead(Number(status)).end();
});
after(() => receiver.close());
const { berth, api } = await startBerth({ settings: { BERTH_EGRESS_ALLOW_PRIVATE: "127.0.0.1" } });
after(() => berth.stop());

let made = 0;
/** Makes a webhook at a path of its own. */
async function make(who: Api, fields: Record<string, Json> = {}, path = ""): Promise<AnyJson> {
  const url = `${receiver.url}${path}/${++made}`;
  return { ...(await who.ok("POST", "/webhooks", { url, enabled_events: ["*"], ...fields })), url };
}

/** Returns what came to a webhook, in the order of the events' ids. */
function eventsAt({ url }: AnyJson, of: WebhookReceiver = receiver): AnyJson[] {
  const events = of.received
    .filter(({ path }) => `${of.url}${path}` === url)
    .map(({ body }) => JSON.parse(body));
  return events.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Resolves with the types that came to a webhook about an object, once the last is there. */
async function typesOf(webhook: AnyJson, id: string, last: string): Promise<string[]> {
  const types = () =>
    eventsAt(webhook)
      .filter(({ data }) => data.id === id)
      .map(({ data }) => data.type);
  await waitUntil(
    () => types().includes(last),
    () => `${last} is not among ${types()}`,
  );
  return types();
}

covers(["webhook-crud"], "webhooks: made, read, listed, changed and deleted", async () => {
  const { secret, ...webhook } = await make(api, {
    name: "Bot",
    enabled_events: ["session.*", "agent.created"],
  });
  assert.match(webhook.id, /^whk_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const { created_at, updated_at, owner_id, id, ...rest } = webhook;
  assert.deepEqual(rest, {
    ...{
      type: "webhook",
      name: "Bot",
      description: null,
      format: "standard",
      url: webhook.url,
      recipients: [],
    },
    ...{ enabled_events: ["session.*", "agent.created"], state: "enabled", disabled_reason: null },
    owner_type: "user",
  });
  assert.deepEqual(await api.ok("GET", `/webhooks/${id}`), webhook);
  assert.deepEqual((await api.ok("GET", "/webhooks?limit=1")).data, [webhook]);
  const changed = await api.ok("POST", `/webhooks/${id}`, { name: null, enabled_events: ["*"] });
  assert.deepEqual([changed.name, changed.enabled_events], [null, ["*"]]);
  const moved = await api.ok("POST", `/webhooks/${id}`, { url: `${receiver.url}/moved`, description: "d" });
  assert.deepEqual([moved.url, moved.description], [`${receiver.url}/moved`, "d"]);
  assert.deepEqual(await api.ok("DELETE", `/webhooks/${id}`), { id, type: "webhook_deleted" });
  for (const path of [id, ABSENT, `${id}/deliveries`])
    assertError(await api.get(`/webhooks/${path}`), 404, "not_found_error");

  const account = await berth.client({ kind: "sat", user: "bot@example.com" });
  const shared = await make(account);
  assert.equal(shared.owner_type, "organization");
  assert.equal((await api.get(`/webhooks/${shared.id}`)).status, 200);
  await account.ok("DELETE", `/webhooks/${shared.id}`);
});

covers(["webhook-bad-input"], "webhooks: what is wrong is said, and nothing is stored", async () => {
  const member = await berth.client({ user: "member@example.com" });
  const url = "https://hooks.example.com/x";
  const cases: [Record<string, Json>, string][] = [
    [{ url: "http://hooks.example.com/x" }, "url"],
    [{ url: "https://10.0.0.1/x" }, "url"],
    [{ url: "https://[::1]/x" }, "url"],
    [{ url: "https://user:password@hooks.example.com/" }, "url"],
    [{ url: "ftp://hooks.example.com/" }, "url"],
    [{ url, enabled_events: ["session.nothing"] }, "enabled_events[0]"],
    [{ url, enabled_events: [] }, "enabled_events"],
    [{ url, recipients: ["owner@example.com"] }, "recipients"],
    [{}, "url"],
    [{ format: "slack" }, "url"],
  ];
  for (const [body, param] of cases) {
    const reply = await member.post("/webhooks", { enabled_events: ["*"], ...body });
    assertError(reply, 400, "invalid_request_error");
    assert.equal(reply.body.error.param, param, JSON.stringify(body));
  }
  assertError(
    await member.post("/webhooks", { format: "email", enabled_events: ["*"] }),
    409,
    "conflict_error",
  );
  assertError(
    await member.post("/webhooks", { url, enabled_events: ["*"], owner_type: "organization" }),
    403,
    "permission_error",
  );
  for (let count = 0; count < 32; count++) await make(member, { enabled_events: ["vault.deleted"] });
  assertError(await member.post("/webhooks", { url, enabled_events: ["*"] }), 409, "conflict_error");
  assert.equal((await member.ok("GET", "/webhooks?limit=100")).data.length, 32);
});

covers(
  ["webhook-events"],
  "webhooks: what happens to each kind of object is told, signed, and once",
  async () => {
    const webhook = await make(api);
    const environment = await makeEnvironment(api);
    await api.ok("POST", `/environments/${environment.id}`, { description: "other" });
    await api.ok("POST", `/environments/${environment.id}/archive`);
    await api.ok("DELETE", `/environments/${environment.id}`);
    assert.deepEqual(await typesOf(webhook, environment.id, "environment.deleted"), [
      "environment.created",
      "environment.updated",
      "environment.archived",
      "environment.deleted",
    ]);
    const agent = await makeAgent(api);
    await api.ok("POST", `/agents/${agent.id}`, { version: 1, name: "Other" });
    await api.ok("POST", `/agents/${agent.id}/archive`);
    await api.ok("DELETE", `/agents/${agent.id}`);
    assert.deepEqual(await typesOf(webhook, agent.id, "agent.deleted"), [
      "agent.created",
      "agent.updated",
      "agent.archived",
      "agent.deleted",
    ]);
    const vault = await api.ok("POST", "/vaults", { display_name: "Tools" });
    await api.ok("POST", `/vaults/${vault.id}`, { display_name: "Others" });
    const auth = { type: "static_bearer", mcp_server_url: "https://mcp.example.com/mcp", token: "t" };
    const credential = await api.ok("POST", `/vaults/${vault.id}/credentials`, { auth });
    const path = `/vaults/${vault.id}/credentials/${credential.id}`;
    await api.ok("POST", path, { display_name: "x" });
    await api.ok("POST", `${path}/archive`);
    await api.ok("DELETE", path);
    await api.ok("POST", `/vaults/${vault.id}/archive`);
    await api.ok("DELETE", `/vaults/${vault.id}`);
    assert.deepEqual(await typesOf(webhook, vault.id, "vault.deleted"), [
      "vault.created",
      "vault.updated",
      "vault.archived",
      "vault.deleted",
    ]);
    assert.deepEqual(await typesOf(webhook, credential.id, "vault_credential.deleted"), [
      "vault_credential.created",
      "vault_credential.updated",
      "vault_credential.archived",
      "vault_credential.deleted",
    ]);
    const told = eventsAt(webhook).find(({ data }) => data.id === credential.id);
    assert.equal(told.data.vault_id, vault.id, "where to read it");
    const store = await api.ok("POST", "/memory_stores", { name: "Notes" });
    await api.ok("POST", `/memory_stores/${store.id}/memories`, { path: "/a.md", content: "x" });
    await api.ok("POST", `/memory_stores/${store.id}`, { name: "Others" });
    await api.ok("POST", `/memory_stores/${store.id}/archive`);
    await api.ok("DELETE", `/memory_stores/${store.id}`);
    assert.deepEqual(await typesOf(webhook, store.id, "memory_store.deleted"), [
      "memory_store.created",
      "memory_store.updated",
      "memory_store.archived",
      "memory_store.deleted",
    ]);

    const requests = receiver.received.filter(({ path: at }) => `${receiver.url}${at}` === webhook.url);
    const verifier = new Webhook(webhook.secret);
    for (const { headers, body } of requests) {
      const event = verifier.verify(body, headers) as AnyJson;
      assert.equal(headers["webhook-id"], event.id);
      assert.match(event.id, /^evt_[0-9a-hjkmnp-tv-z]{26}$/);
      assert.equal(event.data.organization_id, (await api.ok("GET", "/whoami")).organization.id);
    }
    assert.equal(new Set(requests.map(({ headers }) => headers["webhook-id"])).size, requests.length);
    const { data } = await api.ok("GET", `/webhooks/${webhook.id}/deliveries?limit=100&status=delivered`);
    assert.equal(data.length, requests.length);
    assert.deepEqual(
      [data[0].attempts, data[0].response_status, data[0].error, data[0].next_attempt_at],
      [1, 204, null, null],
    );
    const archived = await api.ok("GET", `/webhooks/${webhook.id}/deliveries?event_type=vault.archived`);
    assert.deepEqual(
      archived.data.map(({ object_id }: AnyJson) => object_id),
      [vault.id],
    );
    await api.ok("DELETE", `/webhooks/${webhook.id}`);
  },
);

covers(["webhook-events"], "webhooks: a run of a deployment succeeds once", async () => {
  const webhook = await make(api, { enabled_events: ["deployment_run.*", "deployment.*"] });
  const ask = { name: "Bash", permission_policy: { type: "always_ask" } };
  const asking = await makeAgent(api, { tools: [{ type: "agent_toolset_20260401", configs: [ask] }] });
  const environment = await makeEnvironment(api);
  const { id } = await api.ok("POST", "/deployments", {
    ...{ name: "d", agent: asking.id, environment_id: environment.id },
    initial_events: [steps(bash("true"))],
  });
  const run = await api.ok("POST", `/deployments/${id}/run`);
  const session = run.session_id;
  const read = () => api.ok("GET", `/sessions/${session}`);
  await waitUntil(
    async () => (await read()).last_turn?.outcome === "requires_action",
    () => "it asks nothing",
  );
  assert.equal((await api.ok("GET", `/deployment_runs/${run.id}`)).succeeded_at, null);
  const { data: uses } = await api.ok("GET", `/sessions/${session}/events?types[]=agent.tool_use`);
  const answer = { type: "user.tool_confirmation", tool_use_id: uses[0].id, result: "allow" };
  await api.ok("POST", `/sessions/${session}/events`, { events: [answer] });
  await typesOf(webhook, run.id, "deployment_run.succeeded");
  const { succeeded_at: at } = await api.ok("GET", `/deployment_runs/${run.id}`);
  assert.equal(at, (await read()).last_turn.ended_at);
  await runTurn(api, session, { say: "more" });
  await api.ok("POST", `/deployments/${id}/archive`);
  await typesOf(webhook, id, "deployment.archived");
  assert.deepEqual(
    eventsAt(webhook).map(({ data }) => [data.type, data.deployment_id]),
    [
      ["deployment.created", undefined],
      ["deployment_run.started", id],
      ["deployment_run.succeeded", id],
      ["deployment.archived", undefined],
    ],
  );
  assert.equal((await api.ok("GET", `/deployment_runs/${run.id}`)).succeeded_at, at);
  await api.ok("DELETE", `/webhooks/${webhook.id}`);
});

covers(["webhook-events"], "webhooks: the life of a session", async () => {
  const webhook = await make(api, { enabled_events: ["session.*"] });
  const ask = { name: "Bash", permission_policy: { type: "always_ask" } };
  const asking = await makeAgent(api, { tools: [{ type: "agent_toolset_20260401", configs: [ask] }] });
  const { id } = await makeSession(api, { agent: asking.id });
  const events = await runTurn(api, id, bash("true"));
  const use = events.find(({ type }) => type === "agent.tool_use");
  const answer = { type: "user.tool_confirmation", tool_use_id: use?.id, result: "allow" };
  await api.ok("POST", `/sessions/${id}/events`, { events: [answer, steps({ fail: "authentication" })] });
  await typesOf(webhook, id, "session.failed");
  await api.ok("POST", `/sessions/${id}`, { title: "A title" });
  await api.ok("POST", `/sessions/${id}/terminate`);
  await api.ok("POST", `/sessions/${id}/archive`);
  await api.ok("DELETE", `/sessions/${id}`);
  const types = await typesOf(webhook, id, "session.deleted");
  for (const type of [
    "created",
    "status_run_started",
    "status_idled",
    "requires_action",
    "failed",
    "updated",
  ])
    assert.ok(types.includes(`session.${type}`), `${type} is not among ${types}`);
  assert.deepEqual(types.slice(-3), ["session.status_terminated", "session.archived", "session.deleted"]);
  assert.equal(types.filter((type) => type === "session.requires_action").length, 1);
  await api.ok("DELETE", `/webhooks/${webhook.id}`);
});

covers(["webhook-privacy"], "webhooks: who hears of what", async () => {
  const [ada, grace] = [
    await berth.client({ user: "ada@example.com" }),
    await berth.client({ user: "grace@example.com" }),
  ];
  const admin = await berth.client({ user: "admin@example.com", role: "admin" });
  const outsider = await berth.client({ org: "elsewhere", user: "outsider@example.com" });
  const fields = { enabled_events: ["vault.created"] };
  const [ofAda, ofGrace, ofAll, elsewhere] = [
    await make(ada, fields),
    await make(grace, fields),
    await make(admin, { ...fields, owner_type: "organization" }),
    await make(outsider, fields),
  ];
  assert.equal(ofAll.owner_type, "organization");
  const hidden = await ada.ok("POST", "/vaults", { display_name: "Hidden" });
  const open = await ada.ok("POST", "/vaults", { display_name: "Open", visibility: "organization" });
  const account = await berth.client({ kind: "sat", user: "bot@example.com" });
  const common = await account.ok("POST", "/vaults", { display_name: "Common" });
  await typesOf(ofAda, open.id, "vault.created");
  await typesOf(ofAll, common.id, "vault.created");
  const heard = (webhook: AnyJson) => eventsAt(webhook).map(({ data }) => data.id);
  assert.deepEqual(heard(ofAda), [hidden.id, open.id]);
  assert.deepEqual(heard(ofAll), [open.id, common.id], "what all members see");
  assert.deepEqual([heard(ofGrace), heard(elsewhere)], [[], []]);
  const [both] = eventsAt(ofAll);
  assert.equal(both.id, eventsAt(ofAda)[1].id, "one event, at two webhooks");
  assert.equal((await grace.get(`/webhooks/${ofAll.id}/deliveries`)).status, 200);
  for (const path of ["", "/disable", "/rotate_secret"])
    assertError(await grace.post(`/webhooks/${ofAll.id}${path}`, {}), 403, "permission_error");
  assertError(await grace.call("DELETE", `/webhooks/${ofAll.id}`), 403, "permission_error");
  assertError(await grace.get(`/webhooks/${ofAda.id}`), 403, "permission_error");
  assertError(await outsider.get(`/webhooks/${ofAda.id}/deliveries`), 403, "permission_error");
  for (const [who, { id }] of [
    [ada, ofAda],
    [grace, ofGrace],
    [admin, ofAll],
    [outsider, elsewhere],
  ] as const)
    await who.ok("DELETE", `/webhooks/${id}`);
});

covers(
  ["webhook-retries"],
  "webhooks: a failed delivery is tried again; 410 and being disabled stop it; redelivered under the same id",
  async () => {
    const failing = await make(api, { enabled_events: ["vault.created"] }, "/status/500");
    const first = await api.ok("POST", "/vaults", { display_name: "x" });
    await waitUntil(
      () => eventsAt(failing).length >= 2,
      () => "it was not tried again",
    );
    const [delivery] = (await api.ok("GET", `/webhooks/${failing.id}/deliveries`)).data;
    assert.equal(delivery.object_id, first.id);
    await waitUntil(
      async () =>
        (await api.ok("GET", `/webhooks/${failing.id}/deliveries?status=pending`)).data[0]?.error !== null,
      () => "nothing says why",
    );
    const [pending] = (await api.ok("GET", `/webhooks/${failing.id}/deliveries?status=pending`)).data;
    assert.deepEqual([pending.response_status, pending.error], [500, "The receiver answered 500."]);
    assert.deepEqual(new Set(eventsAt(failing).map(({ id }) => id)), new Set([delivery.event_id]));

    await api.ok("POST", `/webhooks/${failing.id}/disable`);
    const path = `/webhooks/${failing.id}/deliveries/${delivery.id}/redeliver`;
    assertError(await api.post(path), 409, "conflict_error");
    await api.ok("POST", "/vaults", { display_name: "nobody hears of it" });
    const moved = { url: `${receiver.url}/status/204/moved` };
    await api.ok("POST", `/webhooks/${failing.id}`, moved);
    const enabled = await api.ok("POST", `/webhooks/${failing.id}/enable`);
    assert.deepEqual([enabled.state, enabled.disabled_reason], ["enabled", null]);
    const isAtMoved = (request: { path: string }) => request.path.endsWith("/moved");
    const pendingSent = await receiver.first(isAtMoved);
    assert.equal(pendingSent.headers["webhook-id"], delivery.event_id, "what was pending is sent");
    await waitUntil(
      async () =>
        (await api.ok("GET", `/webhooks/${failing.id}/deliveries?status=delivered`)).data.length === 1,
      () => "it is not recorded",
    );
    assert.equal((await api.ok("POST", path)).status, "pending");
    await waitUntil(
      () => receiver.received.filter(isAtMoved).length === 2,
      () => "it was not sent again",
    );
    assert.equal(receiver.received.findLast(isAtMoved)?.headers["webhook-id"], delivery.event_id);
    assertError(
      await api.post(path.replace(delivery.id, ABSENT.replace("whk", "whd"))),
      404,
      "not_found_error",
    );

    const gone = await make(api, { enabled_events: ["vault.created"] }, "/status/410");
    await api.ok("POST", "/vaults", { display_name: "x" });
    await waitUntil(
      async () => (await api.ok("GET", `/webhooks/${gone.id}`)).disabled_reason === "gone",
      () => "410 did not disable it",
    );
    for (const { id } of [failing, gone]) await api.ok("DELETE", `/webhooks/${id}`);
  },
);

covers(
  ["webhook-test", "webhook-rotation"],
  "webhooks: tested at once, and signed with both keys after a rotation",
  async () => {
    const webhook = await make(api, { enabled_events: ["vault.deleted"] });
    const test = () => api.ok("POST", `/webhooks/${webhook.id}/test`);
    assert.deepEqual(await test(), { ok: true, message: "The receiver answered 204." });
    const { secret } = await api.ok("POST", `/webhooks/${webhook.id}/rotate_secret`);
    assert.notEqual(secret, webhook.secret);
    await test();
    const sent = receiver.received.findLast(({ path }) => `${receiver.url}${path}` === webhook.url);
    for (const key of [secret, webhook.secret]) {
      const event = new Webhook(key).verify(sent?.body ?? "", sent?.headers ?? {}) as AnyJson;
      assert.deepEqual([event.data.type, event.data.id], ["webhook.test", webhook.id]);
    }
    await api.ok("POST", `/webhooks/${webhook.id}`, { url: `${receiver.url}/status/302/x` });
    const message = "The receiver answered 302, a redirect, which is not followed.";
    assert.deepEqual(await test(), { ok: false, message });
    await api.ok("POST", `/webhooks/${webhook.id}`, { url: "https://nowhere.invalid/" });
    assert.deepEqual(await test(), { ok: false, message: "The host's name does not resolve." });
    await api.ok("DELETE", `/webhooks/${webhook.id}`);
  },
);

covers(
  ["webhook-slack"],
  "webhooks: Slack gets a line with a link, and its address is never shown",
  async () => {
    const path = `/services/T0/B0/${"s".repeat(24)}`;
    const webhook = await api.ok("POST", "/webhooks", {
      ...{ format: "slack", url: `${receiver.url}${path}`, enabled_events: ["session.requires_action"] },
    });
    assert.deepEqual([webhook.url, webhook.secret], [`${receiver.url}/…`, null]);
    assertError(await api.post(`/webhooks/${webhook.id}/rotate_secret`), 409, "conflict_error");
    const ask = { name: "Bash", permission_policy: { type: "always_ask" } };
    const asking = await makeAgent(api, {
      name: "Robin",
      tools: [{ type: "agent_toolset_20260401", configs: [ask] }],
    });
    const { id } = await makeSession(api, { agent: asking.id, title: "Fix <b> & more" });
    await runTurn(api, id, bash("true"));
    const { body } = await receiver.first((request) => request.path === path);
    const { text } = JSON.parse(body);
    assert.match(text, /^“Fix &lt;b&gt; &amp; more” \(Robin\) waits for owner@example\.com to answer a call/);
    await api.ok("DELETE", `/webhooks/${webhook.id}`);
  },
);
