// Subject: the triggers that write events for webhooks.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { newUuid, parseId, WEBHOOK_EVENTS } from "@berth/contract";
import { type Caller, testApp, type Wire } from "../../../test-support/http.ts";

const EVERYTHING = { url: "https://hook.invalid/", enabled_events: ["*"] };

async function house(t: TestContext) {
  const { db, caller } = await testApp(t);
  const owner = await caller();
  const heard = async ({ id }: Wire): Promise<string[]> => {
    const { rows } = await db.read.query<{ event_type: string }>({
      text: "select event_type from webhook_deliveries where webhook_id = $1 order by id",
      values: [parseId("webhook", id)],
    });
    return rows.map(({ event_type }) => event_type);
  };
  return { db, caller, owner, heard };
}

/** Makes a session with a repository that has a row for its pull requests. Returns the repository's uuid. */
async function aRepository(db: { write: Wire }, owner: Caller): Promise<string> {
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  const session = await owner.made("/sessions", {
    ...{ agent: agent.id, environment_id: environment.id },
    resources: [
      { type: "hosted_repository", url: "https://github.com/acme/widget", authorization_token: "t" },
    ],
  });
  const id = parseId("session_resource", session.resources[0].id) ?? assert.fail();
  await db.write.query({
    text: "insert into session_pull_requests (resource_id, branches, branches_seq) values ($1, '{a}', 1)",
    values: [id],
  });
  return id;
}

test("events: a trigger tells each of those in the contract, and no other", async (t) => {
  const { db } = await house(t);
  const { rows } = await db.read.query<{ definition: string }>({
    text: `select pg_get_triggerdef(pg_trigger.oid) as definition from pg_trigger
      where tgfoid = 'tell_webhooks'::regproc`,
  });
  const told = rows.map(({ definition }) => /tell_webhooks\('(.*)'\)/.exec(definition)?.[1]);
  const { rows: source } = await db.read.query<{ text: string }>({
    text: "select prosrc as text from pg_proc where proname = 'tell_webhooks_of_pull_requests'",
  });
  const states = ["opened", "updated", "merged", "closed"];
  for (const state of states) assert.ok(source[0]?.text.includes(state));
  const all = [...told, ...states.map((state) => `pull_request.${state}`)];
  assert.deepEqual(new Set(all), new Set(WEBHOOK_EVENTS));
});

test("pull requests: what the host says anew is told, and once", async (t) => {
  const { db, owner, heard } = await house(t);
  const webhook = await owner.made("/webhooks", { ...EVERYTHING, enabled_events: ["pull_request.*"] });
  const id = await aRepository(db, owner);
  const say = async (...found: object[]) => {
    const before = (await heard(webhook)).length;
    const text = "update session_pull_requests set found = $2, asked_at = now() where resource_id = $1";
    await db.write.query({ text, values: [id, JSON.stringify(found)] });
    return (await heard(webhook)).slice(before).toSorted();
  };
  const one = { number: 1, state: "open", title: "a" };
  const two = { number: 2, state: "merged", title: "b" };
  assert.deepEqual(await say(one), ["pull_request.opened"]);
  assert.deepEqual(await say(one), [], "nothing is new");
  assert.deepEqual(await say({ ...one, title: "c" }), ["pull_request.updated"]);
  assert.deepEqual(await say({ ...one, state: "draft" }, two), [
    "pull_request.merged",
    "pull_request.opened",
    "pull_request.updated",
  ]);
  assert.deepEqual(await say({ ...one, state: "closed" }, two), ["pull_request.closed"]);
  assert.deepEqual(await say({ ...one, state: "open" }, two), ["pull_request.updated"], "opened again");
  assert.deepEqual(await say({ ...one, state: "merged" }, two), ["pull_request.merged"]);
  assert.deepEqual(await say(two), [], "one that is no longer listed");
  const { data } = (await owner.get(`/webhooks/${webhook.id}/deliveries?event_type=pull_request.closed`))
    .body;
  assert.match(data[0].object_id, /^sess_/);
});

test("sessions: how a turn ended is told with it, and once", async (t) => {
  const { db, owner, heard } = await house(t);
  const webhook = await owner.made("/webhooks", { ...EVERYTHING, enabled_events: ["session.*"] });
  await aRepository(db, owner);
  const run = async (outcome: string) => {
    await db.write.query({ text: "update sessions set status = 'running'" });
    const before = (await heard(webhook)).length;
    const text =
      "update sessions set status = 'idle', last_turn_outcome = $1, last_turn_ended_at = clock_timestamp()";
    await db.write.query({ text, values: [outcome] });
    await db.write.query({ text: "update sessions set status = 'idle'" });
    return (await heard(webhook)).slice(before).toSorted();
  };
  assert.deepEqual(await run("end_turn"), ["session.status_idled"]);
  assert.deepEqual(await run("retries_exhausted"), ["session.failed", "session.status_idled"]);
  assert.deepEqual(await run("budget_reached"), ["session.budget_reached", "session.status_idled"]);
});

test("who hears: by events, owner and state; what is rolled back is not told", async (t) => {
  const { db, caller, owner, heard } = await house(t);
  const admin = await caller({ email: "admin@example.com", role: "admin" });
  const [all, some, none, ofAll] = [
    await owner.made("/webhooks", EVERYTHING),
    await owner.made("/webhooks", { ...EVERYTHING, enabled_events: ["memory_store.*", "vault.created"] }),
    await owner.made("/webhooks", EVERYTHING),
    await admin.made("/webhooks", { ...EVERYTHING, owner_type: "organization" }),
  ];
  await owner.post(`/webhooks/${none.id}/disable`);
  const vault = await owner.made("/vaults", { display_name: "v" });
  await owner.made(`/vaults/${vault.id}`, { display_name: "w" });
  assert.deepEqual(await heard(all), ["vault.created", "vault.updated"]);
  assert.deepEqual(await heard(some), ["vault.created"]);
  assert.deepEqual([await heard(none), await heard(ofAll)], [[], []]);
  await owner.made(`/vaults/${vault.id}/share`, {});
  await owner.made(`/vaults/${vault.id}`, { display_name: "x" });
  assert.deepEqual(await heard(ofAll), ["vault.updated"], "once all members see it");

  const rolledBack = db.transaction(async (tx) => {
    await tx.query({ text: "delete from vaults where id = $1", values: [parseId("vault", vault.id)] });
    throw new Error("no");
  });
  await assert.rejects(rolledBack, /^Error: no$/);
  assert.equal((await heard(all)).length, 3);
  await db.write.query({ text: "update users set disabled_at = now() where email = 'owner@example.com'" });
  await db.write.query({
    text: "update vaults set updated_at = now() where id = $1",
    values: [parseId("vault", vault.id)],
  });
  assert.deepEqual(
    [(await heard(all)).length, (await heard(ofAll)).length],
    [3, 2],
    "who has left hears nothing",
  );
  assert.equal((await heard({ id: `whk_${newUuid()}` })).length, 0);
});

test("deployments and their runs: paused, unpaused, and what came of each run", async (t) => {
  const { db, owner, heard } = await house(t);
  const types = ["deployment.*", "deployment_run.*"];
  const webhook = await owner.made("/webhooks", { ...EVERYTHING, enabled_events: types });
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  const content = [{ type: "text", text: "Hello" }];
  const { id } = await owner.made("/deployments", {
    ...{ name: "d", agent: agent.id, environment_id: environment.id },
    initial_events: [{ type: "user.message", content }],
  });
  const path = `/deployments/${id}`;
  await owner.made(path, { description: "x" });
  await owner.post(`${path}/pause`);
  await owner.post(`${path}/unpause`);
  const run = (await owner.post(`${path}/run`)).body;
  const succeeded = async () =>
    (await heard(webhook)).filter((type) => type === "deployment_run.succeeded").length;
  const end = async (outcome: string) => {
    const text = `update sessions set status = 'idle', last_turn_outcome = $1, last_turn_ended_at = clock_timestamp()`;
    await db.write.query({ text: "update sessions set status = 'running'" });
    await db.write.query({ text, values: [outcome] });
    await db.write.query({ text: "update sessions set status = 'idle', title = title || 'x'" });
    const { body } = await owner.get(`/deployment_runs/${run.id}`);
    return [await succeeded(), body.succeeded_at];
  };
  for (const outcome of ["requires_action", "cancelled", "retries_exhausted", "budget_reached"])
    assert.deepEqual(await end(outcome), [0, null], outcome);
  const [first, at] = await end("end_turn");
  const { ended_at: endedAt } = (await owner.get(`/sessions/${run.session_id}`)).body.last_turn;
  assert.deepEqual([first, at], [1, endedAt]);
  for (const outcome of ["retries_exhausted", "end_turn"])
    assert.deepEqual(await end(outcome), [1, at], "the first time counts");
  await owner.post(`/agents/${agent.id}/archive`);
  await owner.post(`${path}/run`);
  await owner.post(`${path}/archive`);
  const all = await heard(webhook);
  for (const verb of ["created", "updated", "paused", "unpaused", "archived"])
    assert.equal(all.filter((type) => type === `deployment.${verb}`).length, 1, `${verb} in ${all}`);
  assert.equal(all.filter((type) => type === "deployment_run.started").length, 1, String(all));
  assert.equal(all.filter((type) => type === "deployment_run.failed").length, 1, String(all));
  for (const verb of ["started", "succeeded"]) {
    const list = `/webhooks/${webhook.id}/deliveries?event_type=deployment_run.${verb}`;
    const { data } = (await owner.get(list)).body;
    assert.equal(data[0].object_id, run.id);
  }
});
