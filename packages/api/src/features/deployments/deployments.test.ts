// Subject: deployments and their runs, at a clock that the test sets.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, type TestContext, test } from "node:test";
import { uuidOrNil } from "@berth/contract";
import { resourceSecret, SecretBox } from "@berth/store/secrets";
import { type Caller, type TestApp, testApp, type Wire } from "../../../test-support/http.ts";
import { setScheduleClock } from "../../../test-support/schedule-clock.ts";

const MESSAGE = { type: "user.message", content: [{ type: "text", text: "Look at the tests." }] };
const NINE = { type: "cron", expression: "0 9 * * *", timezone: "Europe/Berlin" };

interface Bench extends TestApp {
  box: SecretBox;
  owner: Caller;
  agent: Wire;
  environment: Wire;
  /** Creates a deployment. */
  deploy(fields?: object, owner?: Caller): Promise<Wire>;
  /** Sets the clock, and runs what is due then. Returns the sessions that were created. */
  at(time: string): Promise<Wire[]>;
  runs(deployment: Wire): Promise<Wire[]>;
}

async function bench(t: TestContext): Promise<Bench> {
  const secretKey = randomBytes(32);
  const app = await testApp(t, { secretKey });
  const owner = await app.caller();
  await setScheduleClock(app.db.write, "2026-03-02T00:00:00Z");
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  const deploy = (fields: object = {}, caller = owner) =>
    caller.made("/deployments", {
      ...{ name: "nightly", agent: agent.id, environment_id: environment.id },
      ...{ initial_events: [MESSAGE], schedule: NINE, ...fields },
    });
  const sessions = async () => (await owner.get("/sessions?limit=100")).body.data as Wire[];
  return {
    ...{ ...app, owner, agent, environment, deploy, box: new SecretBox(secretKey) },
    async at(time) {
      const before = new Set((await sessions()).map(({ id }) => id));
      await setScheduleClock(app.db.write, time);
      await app.app.deployments.runAllDue();
      return (await sessions()).filter(({ id }) => !before.has(id));
    },
    runs: async ({ id }) => (await owner.get(`/deployments/${id}/runs?limit=100`)).body.data,
  };
}

describe("a schedule", () => {
  test("creates one session a slot, with all that the deployment says", async (t) => {
    const { deploy, at, runs, owner, agent, environment } = await bench(t);
    const made = await deploy({
      environment_variables: { CI: "1" },
      resources: [
        { type: "git_repository", url: "https://git.example/a/b", username: "u", password: "word-of-git" },
      ],
    });
    assert.equal(made.status, "active");
    assert.deepEqual(made.agent, { id: agent.id, type: "agent", version: null });
    assert.deepEqual(made.schedule, {
      ...NINE,
      last_run_at: null,
      upcoming_runs_at: [2, 3, 4, 5, 6].map((day) => `2026-03-0${day}T08:00:00.000Z`),
    });
    assert.ok(!JSON.stringify(made).includes("word-of-git"));
    assert.deepEqual(await at("2026-03-02T07:59:59.900Z"), []);
    const [session, ...others] = await at("2026-03-02T08:00:00Z");
    assert.equal(others.length, 0);
    assert.equal(session?.deployment_id, made.id);
    assert.equal(session?.title, "nightly");
    assert.equal(session?.environment_id, environment.id);
    assert.deepEqual(session?.environment_variables, { CI: "1" });
    assert.equal(session?.resources[0].username, "u");
    assert.equal(session?.owner_id, made.owner_id);
    const { body: log } = await owner.get(`/sessions/${session?.id}/events`);
    assert.equal(log.data[0].created_by.via, "deployment");
    assert.deepEqual(await at("2026-03-02T08:00:01Z"), []);
    const [run, ...more] = await runs(made);
    assert.equal(more.length, 0);
    assert.deepEqual(run, {
      ...{ id: run.id, type: "deployment_run", deployment_id: made.id },
      ...{ agent: { id: agent.id, version: 1 }, session_id: session?.id, error: null },
      succeeded_at: null,
      trigger_context: { type: "schedule", scheduled_at: "2026-03-02T08:00:00.000Z" },
      created_at: run.created_at,
    });
    const { body: after } = await owner.get(`/deployments/${made.id}`);
    assert.equal(after.schedule.last_run_at, "2026-03-02T08:00:00.000Z");
    assert.equal(after.schedule.upcoming_runs_at[0], "2026-03-03T08:00:00.000Z");
    assert.deepEqual(
      (await owner.get(`/sessions?deployment_id=${made.id}`)).body.data.map(({ id }: Wire) => id),
      [session?.id],
    );
  });

  test("at a time: once", async (t) => {
    const { deploy, at, runs, owner } = await bench(t);
    const once = await deploy({ schedule: { type: "at", at: "2026-03-02T10:00:00.000Z" } });
    assert.deepEqual(once.schedule.upcoming_runs_at, ["2026-03-02T10:00:00.000Z"]);
    assert.equal((await at("2026-03-02T10:00:00.500Z")).length, 1);
    assert.equal((await at("2027-03-02T10:00:00.500Z")).length, 0);
    assert.equal((await runs(once)).length, 1);
    const { schedule, status } = (await owner.get(`/deployments/${once.id}`)).body;
    assert.deepEqual(
      [status, schedule.last_run_at, schedule.upcoming_runs_at],
      ["active", "2026-03-02T10:00:00.000Z", []],
    );
  });

  test("after a time without a service: the newest slot within a minute runs, older ones are listed, 100 at most", async (t) => {
    const { deploy, at, runs, owner } = await bench(t);
    const hourly = await deploy({ schedule: { type: "cron", expression: "0 * * * *", timezone: "UTC" } });
    assert.equal((await at("2026-03-02T03:00:59Z")).length, 1);
    const missed = (await runs(hourly)).map(({ error, trigger_context }) => [
      error?.type,
      trigger_context.scheduled_at,
    ]);
    assert.deepEqual(missed, [
      [undefined, "2026-03-02T03:00:00.000Z"],
      ["missed", "2026-03-02T02:00:00.000Z"],
      ["missed", "2026-03-02T01:00:00.000Z"],
    ]);
    assert.equal((await at("2026-03-02T05:01:01Z")).length, 0);
    assert.equal((await runs(hourly))[0]?.error.type, "missed");
    assert.equal((await runs(hourly)).length, 5);
    const everyMinute = await deploy({
      schedule: { type: "cron", expression: "* * * * *", timezone: "UTC" },
    });
    assert.equal((await at("2026-04-02T05:02:30Z")).length, 1);
    const { body: page } = await owner.get(`/deployments/${everyMinute.id}/runs?limit=100`);
    assert.equal(page.has_more, true);
    assert.equal(
      (await owner.get(`/deployments/${everyMinute.id}/runs?page=${page.next_page}`)).body.data.length,
      1,
    );
    const { body: after } = await owner.get(`/deployments/${everyMinute.id}`);
    assert.deepEqual(
      [after.status, after.schedule.upcoming_runs_at[0]],
      ["active", "2026-04-02T05:03:00.000Z"],
    );
  });

  test("through both changes of the zone: what is skipped does not run, what comes twice runs twice", async (t) => {
    const { deploy, at, owner } = await bench(t);
    const zones = ["Europe/Berlin", "Australia/Lord_Howe"];
    const [berlin, howe] = await Promise.all(
      zones.map((timezone) => deploy({ schedule: { type: "cron", expression: "15,45 2 * * *", timezone } })),
    );
    const spans = ["2026-03-29T00:00", "2026-04-04T14:30", "2026-10-03T15:00", "2026-10-25T00:00"];
    for (const begin of spans)
      for (let minute = 0; minute <= 120; minute += 15)
        await at(new Date(Date.parse(`${begin}Z`) + minute * 60_000).toISOString());
    const ran = async ({ id }: Wire, day: string) =>
      ((await owner.get(`/deployments/${id}/runs?has_error=false&limit=100`)).body.data as Wire[])
        .filter(({ trigger_context }) => trigger_context.scheduled_at.startsWith(day))
        .map(({ trigger_context }) => trigger_context.scheduled_at.slice(11, 16))
        .toReversed();
    assert.deepEqual(await ran(berlin, "2026-03-29"), []);
    assert.deepEqual(await ran(berlin, "2026-10-25"), ["00:15", "00:45", "01:15", "01:45"]);
    assert.deepEqual(await ran(howe, "2026-04-04"), ["15:45", "16:15"]);
    assert.deepEqual(await ran(howe, "2026-10-03"), ["15:45"]);
  });

  test("of many with one slot, twenty start at once and the others within ten seconds", async (t) => {
    const { deploy, at } = await bench(t);
    for (let made = 0; made < 30; made++) await deploy();
    assert.equal((await at("2026-03-02T08:00:00Z")).length, 20);
    assert.equal((await at("2026-03-02T08:00:10Z")).length, 10);
  });
});

test("pause: nothing runs but by hand, and nothing is made up for", async (t) => {
  const { deploy, at, runs, owner } = await bench(t);
  const { id } = await deploy();
  const paused = await owner.made(`/deployments/${id}/pause`, undefined);
  assert.deepEqual(
    [paused.status, paused.paused_reason, paused.schedule.upcoming_runs_at],
    ["paused", { type: "manual" }, []],
  );
  assert.equal((await at("2026-03-02T08:00:00Z")).length, 0);
  const run = await owner.made(`/deployments/${id}/run`, undefined);
  assert.deepEqual([run.trigger_context, run.error], [{ type: "manual" }, null]);
  await owner.made(`/deployments/${id}`, { schedule: { ...NINE, timezone: "UTC" } });
  const active = await owner.made(`/deployments/${id}/unpause`, undefined);
  assert.deepEqual(
    [active.status, active.paused_reason, active.schedule.upcoming_runs_at[0]],
    ["active", null, "2026-03-02T09:00:00.000Z"],
  );
  assert.equal((await at("2026-03-02T09:00:00Z")).length, 1);
  assert.deepEqual(
    (await runs({ id })).map(({ trigger_context }) => trigger_context.type),
    ["schedule", "manual"],
  );
  for (const [query, count] of [
    ["trigger_type=manual", 1],
    ["has_error=true", 0],
    ["has_error=false", 2],
    ["has_error=false&trigger_type=schedule", 1],
  ] as const) {
    assert.equal((await owner.get(`/deployments/${id}/runs?${query}`)).body.data.length, count);
    assert.equal((await owner.get(`/deployment_runs?deployment_id=${id}&${query}`)).body.data.length, count);
    assert.equal((await owner.get(`/deployment_runs?${query}`)).body.data.length, count);
  }
  assert.deepEqual((await owner.get(`/deployment_runs/${run.id}`)).body, run);
});

test("a session of a deployment has the resources that a session with the same request has", async (t) => {
  const { deploy, owner, agent, environment, db, box } = await bench(t);
  const file = (await owner.upload("text")).body;
  const store = await owner.made("/memory_stores", { name: "m" });
  const vault = await owner.made("/vaults", { display_name: "v" });
  const connection = await owner.made("/connections", {
    ...{ display_name: "c", auth: { type: "token", api: "github", token: "t-token" } },
  });
  const at = (mount_path: string, checkout: object | null = null) => ({ mount_path, checkout });
  const connected = { url: "https://github.com/acme/c", connection_id: connection.id, access: "read_only" };
  const hosted = { type: "hosted_repository", url: "https://github.com/acme/a" };
  const git = { type: "git_repository", url: "https://git.example/a/b", username: "u", password: "p-word" };
  const commit = { type: "commit", sha: "0123456789".repeat(4) };
  const given = [
    { ...hosted, authorization_token: "t-one", ...at("/data/1", { type: "branch", name: "b" }) },
    { ...hosted, ...at("/data/2", { type: "tag", name: "t" }) },
    { ...hosted, ...at("/data/3", { type: "ref", name: "refs/pull/1/head" }) },
    { ...hosted, ...at("/data/4", commit) },
    { ...hosted, ...connected, ...at("/data/5") },
    { ...git, ...at("/data/6", { type: "branch", name: "b" }) },
    { ...git, password: null, ...at("/data/7", { type: "tag", name: "t" }) },
    { ...git, ...at("/data/8", { type: "ref", name: "refs/pull/1/head" }) },
    { ...git, ...at("/data/9", commit) },
    { type: "git_repository", ...connected, ...at("/data/10") },
    { type: "file", file_id: file.id, mount_path: "/data/notes.txt" },
    { type: "memory_store", memory_store_id: store.id, access: "read_only", instructions: "Read it." },
    { type: "vault", vault_id: vault.id },
  ];
  const shown = (of: Wire) => of.resources.map(({ id, created_at, updated_at, ...rest }: Wire) => rest);
  const secrets = async (of: Wire) => {
    const { rows } = await db.write.query<{ id: string; secret: Buffer | null }>({
      text: "select id, secret from session_resources where session_id = $1 order by mount_path",
      values: [uuidOrNil("session", of.id)],
    });
    return rows.map(({ id, secret }) => secret && box.open(resourceSecret(id), secret));
  };
  // One repository of a session can have an environment.
  for (const followed of [1, 5]) {
    const environmentOf = (index: number) =>
      index === followed ? { environment: { from: "devcontainer" } } : {};
    const resources = given.map((resource, index) => ({ ...resource, ...environmentOf(index) }));
    const { id: made } = await deploy({ resources });
    const run = await owner.made(`/deployments/${made}/run`, undefined);
    const { body: session } = await owner.get(`/sessions/${run.session_id}`);
    const same = await owner.made("/sessions", {
      agent: agent.id,
      environment_id: environment.id,
      resources,
    });
    assert.deepEqual(shown(session), shown(same));
    assert.deepEqual(session.vault_ids, [vault.id]);
    assert.deepEqual(await secrets(session), await secrets(same));
    assert.ok((await secrets(session)).includes("p-word"));
  }
});

describe("a run that cannot create a session", () => {
  test("has an error; five in a row that time does not heal pause the deployment", async (t) => {
    const { deploy, at, runs, owner, agent } = await bench(t);
    const made = await deploy();
    await owner.made(`/agents/${agent.id}/archive`, undefined);
    for (let day = 2; day <= 6; day++) assert.deepEqual(await at(`2026-03-0${day}T08:00:00Z`), []);
    const { body: paused } = await owner.get(`/deployments/${made.id}`);
    assert.deepEqual(paused.paused_reason, { type: "error", error: { type: "agent_archived_error" } });
    await at("2026-03-07T08:00:00Z");
    const all = await runs(made);
    assert.equal(all.length, 5);
    assert.deepEqual(all[0]?.error, {
      ...{ type: "agent_archived_error", message: `Agent '${agent.id}' is archived.` },
    });
    assert.equal(all[0]?.session_id, null);
    assert.deepEqual(
      (await owner.post(`/deployments/${made.id}`, { agent: agent.id })).body.error.type,
      "conflict_error",
    );
    const other = await owner.made("/agents", { name: "b", model: "rehearsal/steps" });
    await owner.made(`/deployments/${made.id}`, { agent: { id: other.id, type: "agent", version: 1 } });
    await owner.made(`/deployments/${made.id}/unpause`, undefined);
    assert.equal((await at("2026-03-08T08:00:00Z")).length, 1);
  });

  test("a success in between, and errors that heal, do not pause", async (t) => {
    const { deploy, at, runs, owner, environment, db } = await bench(t);
    const made = await deploy({ schedule: { type: "cron", expression: "0 * * * *", timezone: "UTC" } });
    const archive = (when: string) =>
      db.write.query({
        text: `update environments set archived_at = ${when} where id = $1`,
        values: [uuidOrNil("environment", environment.id)],
      });
    for (let hour = 1; hour <= 9; hour++) {
      await archive(hour === 5 ? "null" : "now()");
      await at(`2026-03-02T0${hour}:00:00Z`);
    }
    assert.equal((await owner.get(`/deployments/${made.id}`)).body.status, "active");
    assert.equal(
      (await runs(made)).filter(({ error }) => error?.type === "environment_archived_error").length,
      8,
    );
  });

  test("each object that is gone or out of reach has its error", async (t) => {
    const { deploy, owner, caller } = await bench(t);
    const vault = await owner.made("/vaults", { display_name: "v" });
    const store = await owner.made("/memory_stores", { name: "m" });
    const file = (await owner.upload("text")).body;
    const connection = await owner.made("/connections", {
      ...{ display_name: "c", auth: { type: "token", api: "github", token: "t-token" } },
    });
    const repository = {
      type: "git_repository",
      url: "https://github.com/acme/widget",
      connection_id: connection.id,
    };
    const made = await Promise.all([
      deploy({ vault_ids: [vault.id] }),
      deploy({ resources: [{ type: "memory_store", memory_store_id: store.id }] }),
      deploy({ resources: [{ type: "file", file_id: file.id }] }),
      deploy({ resources: [repository] }),
    ]);
    await owner.made(`/vaults/${vault.id}/archive`, undefined);
    for (const path of [`/memory_stores/${store.id}`, `/files/${file.id}`, `/connections/${connection.id}`])
      assert.equal((await owner.delete(path)).status, 200);
    const errors = [];
    for (const { id } of made)
      errors.push((await owner.made(`/deployments/${id}/run`, undefined)).error.type);
    assert.deepEqual(errors, [
      "vault_archived_error",
      "memory_store_not_found_error",
      "file_not_found_error",
      "connection_not_found_error",
    ]);
    // An agent that is shared no more.
    const other = await caller({ email: "other@example.com" });
    const agent = await other.made("/agents", {
      name: "b",
      model: "rehearsal/steps",
      visibility: "organization",
    });
    const { id } = await deploy({ agent: agent.id });
    assert.equal((await owner.made(`/deployments/${id}/run`, undefined)).error, null);
    assert.equal((await other.delete(`/agents/${agent.id}/share`)).status, 200);
    assert.equal((await owner.made(`/deployments/${id}/run`, undefined)).error.type, "agent_not_found_error");
  });

  test("a disabled user pauses it at once", async (t) => {
    const { deploy, app, db, owner, caller } = await bench(t);
    const made = await deploy();
    await db.write.query({ text: "update users set disabled_at = now() where email = 'owner@example.com'" });
    await setScheduleClock(db.write, "2026-03-02T08:00:00Z");
    await app.deployments.runAllDue();
    const admin = await caller({ email: "admin@example.com", role: "admin" });
    const { body: paused } = await admin.get(`/deployments/${made.id}`);
    assert.deepEqual(paused.paused_reason, { type: "error", error: { type: "owner_disabled_error" } });
    await db.write.query({ text: "update users set disabled_at = null" });
    assert.equal((await owner.made(`/deployments/${made.id}/run`, undefined)).error, null);
  });
});

test("what is wrong with a schedule is said with a form that is right", async (t) => {
  const { owner, agent, environment, deploy } = await bench(t);
  const refused = async (schedule: object) => {
    const body = {
      name: "n",
      agent: agent.id,
      environment_id: environment.id,
      initial_events: [MESSAGE],
      schedule,
    };
    const { status, body: reply } = await owner.post("/deployments", body);
    assert.equal(status, 400);
    return [reply.error.param, reply.error.message];
  };
  const cron = (expression: string, timezone = "UTC") => ({ type: "cron", expression, timezone });
  assert.deepEqual(await refused(cron("@daily")), [
    "schedule.expression",
    "Field 'schedule.expression' cannot be read. It must have five fields: write '0 0 * * *'.",
  ]);
  assert.deepEqual(await refused(cron("0 0 30 2 *")), [
    "schedule.expression",
    "Field 'schedule.expression' never runs: none of its months has such a day.",
  ]);
  assert.deepEqual(await refused(cron("0 9 * * *", "Berlin")), [
    "schedule.timezone",
    "Field 'schedule.timezone' must be the IANA name of a time zone, such as 'Europe/Berlin' or 'UTC'.",
  ]);
  assert.equal((await refused({ type: "at", at: "2026-03-01T23:59:59.000Z" }))[0], "schedule.at");
  assert.equal((await refused({ type: "every" }))[0], "schedule.type");
  const { id } = await deploy();
  assert.equal(
    (await owner.post(`/deployments/${id}`, { schedule: cron("0 0 L * *") })).body.error.param,
    "schedule.expression",
  );
  const noMessage = { name: "n", agent: agent.id, environment_id: environment.id, initial_events: [] };
  assert.equal((await owner.post("/deployments", noMessage)).body.error.param, "initial_events");
});

test("an archived one is read, and neither run nor changed", async (t) => {
  const { deploy, at, owner } = await bench(t);
  const { id } = await deploy();
  const archived = await owner.made(`/deployments/${id}/archive`, undefined);
  assert.notEqual(archived.archived_at, null);
  assert.deepEqual(archived.schedule.upcoming_runs_at, []);
  for (const path of ["run", "pause", "unpause"])
    assert.equal((await owner.post(`/deployments/${id}/${path}`)).status, 403);
  assert.equal((await owner.post(`/deployments/${id}`, { name: "other" })).status, 403);
  assert.deepEqual(await at("2026-03-02T08:00:00Z"), []);
  assert.deepEqual((await owner.get("/deployments")).body.data, []);
  assert.equal((await owner.get("/deployments?include_archived=true")).body.data.length, 1);
});

test("a budget is that of each session", async (t) => {
  const { deploy, owner } = await bench(t);
  const budget = { type: "limit", max_list_cost: { amount: "2500", currency: "USD" } };
  const made = await deploy({ budget });
  const { session_id: session } = await owner.made(`/deployments/${made.id}/run`, undefined);
  assert.deepEqual([made.budget, (await owner.get(`/sessions/${session}`)).body.budget], [budget, budget]);
  assert.equal((await owner.made(`/deployments/${made.id}`, { budget: null })).budget, null);
});

test("a follow is that of each session, and says its bounds", async (t) => {
  const { deploy, owner } = await bench(t);
  const bounds = {
    ...{ pull_request: true, max_attempts: 3, conflicts: "rebase" },
    max_list_cost: { amount: "500", currency: "USD" },
  };
  const made = await deploy({ follow: bounds });
  assert.deepEqual(made.follow, bounds);
  const ran = async () => {
    const { session_id: id } = await owner.made(`/deployments/${made.id}/run`, undefined);
    return (await owner.get(`/sessions/${id}`)).body.follow;
  };
  const waiting = { status: "waiting", attempts: 0, followed: null, stopped_reason: null, error: null };
  assert.deepEqual(await ran(), { ...bounds, ...waiting });
  const usual = { pull_request: true, max_attempts: 5, max_list_cost: null, conflicts: "merge" };
  const changed = await owner.made(`/deployments/${made.id}`, { follow: { pull_request: true } });
  assert.deepEqual(changed.follow, usual);
  assert.deepEqual((await owner.made(`/deployments/${made.id}`, { name: "other" })).follow, usual);
  assert.deepEqual(await ran(), { ...usual, ...waiting });
  assert.equal((await owner.made(`/deployments/${made.id}`, { follow: null })).follow, null);
  assert.equal(await ran(), null);
  const wrong = await owner.post(`/deployments/${made.id}`, { follow: { ...usual, max_attempts: 0 } });
  assert.deepEqual([wrong.status, wrong.body.error.param], [400, "follow.max_attempts"]);
});

test("update: what is given is changed, and tokens stay with their resources", async (t) => {
  const { deploy, owner, environment, db } = await bench(t);
  const resources = [
    { type: "hosted_repository", url: "https://github.com/acme/widget", authorization_token: "t-widget" },
  ];
  const made = await deploy({ resources, description: "d", metadata: { a: "1" } });
  const sealed = async () =>
    (
      await db.write.query<{ resource_secrets: Buffer | null }>({
        text: "select resource_secrets from deployments",
      })
    ).rows[0]?.resource_secrets;
  const before = await sealed();
  const renamed = await owner.made(`/deployments/${made.id}`, { name: "other", metadata: { b: "2" } });
  assert.deepEqual(
    [renamed.name, renamed.description, renamed.metadata, renamed.resources, renamed.schedule],
    ["other", "d", { a: "1", b: "2" }, made.resources, made.schedule],
  );
  assert.deepEqual(await sealed(), before);
  // What is not given is not checked: the environment may be archived meanwhile.
  await owner.made(`/environments/${environment.id}/archive`, undefined);
  const manual = await owner.made(`/deployments/${made.id}`, { schedule: null, description: null });
  assert.deepEqual([manual.schedule, manual.description], [null, null]);
  const replaced = await owner.post(`/deployments/${made.id}`, { resources: [] });
  assert.equal(replaced.status, 409);
  const next = await owner.made("/environments", { name: "f" });
  await owner.made(`/deployments/${made.id}`, { environment_id: next.id, resources: null });
  assert.equal(await sealed(), null);
});

test("shared: who reads it sees its runs, who writes runs and pauses it, and sessions are shared alike", async (t) => {
  const { deploy, owner, caller } = await bench(t);
  const [reader, writer, stranger] = (await Promise.all(
    ["reader", "writer", "stranger"].map((name) => caller({ email: `${name}@example.com` })),
  )) as [Caller, Caller, Caller];
  const { id } = await deploy();
  await owner.made(`/deployments/${id}/share`, { user: "reader@example.com" });
  await owner.made(`/deployments/${id}/share`, { user: "writer@example.com", access: "write" });
  assert.equal((await reader.post(`/deployments/${id}/run`)).status, 403);
  const run = await writer.made(`/deployments/${id}/run`, undefined);
  const path = `/sessions/${run.session_id}`;
  assert.equal((await owner.get(path)).body.owner_id, (await owner.get(`/deployments/${id}`)).body.owner_id);
  assert.equal((await reader.get(path)).status, 200);
  assert.equal((await writer.post(`${path}/events`, { events: [MESSAGE] })).status, 200);
  assert.equal((await writer.made(`/deployments/${id}/pause`, undefined)).status, "paused");
  assert.equal((await writer.post(`/deployments/${id}`, { name: "mine" })).status, 403);
  assert.equal((await reader.get(`/deployments/${id}/runs`)).body.data.length, 1);
  assert.equal((await reader.get(`/deployment_runs/${run.id}`)).status, 200);
  assert.deepEqual(
    (await reader.get("/deployments?shared_with_me=true")).body.data.map((one: Wire) => one.id),
    [id],
  );
  for (const one of [
    `/deployments/${id}`,
    `/deployments/${id}/runs`,
    `/deployment_runs/${run.id}`,
    `/deployment_runs?deployment_id=${id}`,
  ])
    assert.equal((await stranger.get(one)).status, 403);
  assert.deepEqual((await stranger.get("/deployment_runs")).body.data, []);
  await owner.made(`/deployments/${id}/share`, {});
  assert.equal((await stranger.get(`/deployments/${id}`)).status, 200);
});

test("a service account's acts as it, until it is disabled, and then as the one that unpauses it", async (t) => {
  const { caller, db } = await bench(t);
  const robot = await caller({ email: "robot", kind: "sat" });
  const agent = await robot.made("/agents", { name: "r", model: "rehearsal/steps" });
  const environment = await robot.made("/environments", { name: "r" });
  const { id, owner_type } = await robot.made("/deployments", {
    ...{ name: "r", agent: agent.id, environment_id: environment.id, initial_events: [MESSAGE] },
  });
  assert.equal(owner_type, "organization");
  const run = await robot.made(`/deployments/${id}/run`, undefined);
  assert.equal((await robot.get(`/sessions/${run.session_id}/events`)).body.data[0].created_by.name, "robot");
  await db.write.query({ text: "update service_accounts set disabled_at = now()" });
  const other = await caller({ email: "robot2", kind: "sat" });
  assert.equal((await other.made(`/deployments/${id}/run`, undefined)).error.type, "owner_disabled_error");
  assert.equal((await other.made(`/deployments/${id}/unpause`, undefined)).status, "active");
  assert.equal((await other.made(`/deployments/${id}/run`, undefined)).error, null);
});
