import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyJson, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";
import { readEventsUntil } from "../harness/stream.ts";

const { berth, api } = await sharedService();

const ABSENT_SESSION = "sess_01h00000000000000000000000";

covers(["session-shape", "session-agent", "ids"], "create session: returns every field", async () => {
  const agent = await makeAgent(api, { name: "Worker", description: "works", system: "Work." });
  const environment = await makeEnvironment(api);
  const session = await api.ok("POST", "/sessions", {
    agent: { id: agent.id, type: "agent", version: 1 },
    environment_id: environment.id,
    title: "First",
  });
  assert.match(session.id, /^sess_[0-9a-hjkmnp-tv-z]{26}$/);
  const { id, owner_id: owner, created_at: created, updated_at: updated, ...rest } = session;
  assert.match(owner, /^usr_/);
  assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.match(updated, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    type: "session",
    agent: {
      id: agent.id,
      type: "agent",
      name: "Worker",
      description: "works",
      model: { id: "rehearsal/steps", effective_context_window: agent.model.effective_context_window },
      system: "Work.",
      tools: [
        { type: "agent_toolset_20260401", enabled_tools: ["Bash", "Read", "Write", "Edit", "Glob", "Grep"] },
      ],
      mcp_servers: [],
      skills: [],
      version: 1,
    },
    environment_id: environment.id,
    status: "idle",
    title: "First",
    metadata: {},
    resources: [],
    vault_ids: [],
    deployment_id: null,
    outcome_evaluations: [],
    last_turn: null,
    set_aside: null,
    unseen: false,
    stats: { active_seconds: 0, duration_seconds: 0 },
    usage: {
      ...{ input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
      list_cost: { amount: "0", currency: "USD" },
    },
    budget: null,
    cached_input_share: null,
    list_cost_usd: 0,
    compaction: {
      count: 0,
      avoided_input_tokens: 0,
      rewritten_input_tokens: 0,
      summary_usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      },
      saved_input_tokens: null,
      saved_list_cost_usd: 0,
    },
    follow: null,
    environment_variables: {},
    git_identity: null,
    chosen_runtimes: null,
    devcontainer: null,
    owner_type: "user",
    visibility: "private",
    archived_at: null,
  });
  assert.deepEqual(withoutTimes(await api.ok("GET", `/sessions/${id}`)), withoutTimes(session));
});

covers(
  ["session-agent-reference", "session-create-faults"],
  "create session: agent and environment must exist and be well-formed",
  async () => {
    const agent = await makeAgent(api);
    const environment_id = (await makeEnvironment(api)).id;
    const create = (body: AnyJson) => api.post("/sessions", body);
    assert.equal((await create({ agent: agent.id, environment_id })).status, 200);
    assert.equal((await create({ agent: { id: agent.id, type: "agent" }, environment_id })).status, 200);
    assertError(await create({ environment_id }), 400, "invalid_request_error", {
      message: "Field 'agent' is required.",
      param: "agent",
    });
    assertError(await create({ agent: agent.id }), 400, "invalid_request_error", { param: "environment_id" });
    assertError(await create({ agent: "agent_1", environment_id }), 404, "not_found_error", {
      message: "Agent 'agent_1' does not exist.",
    });
    assertError(await create({ agent: { id: agent.id }, environment_id }), 400, "invalid_request_error", {
      message: "Field 'agent.type' is required.",
      param: "agent.type",
    });
    assertError(
      await create({ agent: { id: agent.id, type: "robot" }, environment_id }),
      400,
      "invalid_request_error",
      { message: "Field 'agent.type' must be 'agent'." },
    );
    assertError(
      await create({ agent: { id: agent.id, type: "agent", version: 2 }, environment_id }),
      404,
      "not_found_error",
    );
    assertError(
      await create({ agent: "agent_01h00000000000000000000000", environment_id }),
      404,
      "not_found_error",
    );
    assertError(
      await create({ agent: agent.id, environment_id: "env_01h00000000000000000000000" }),
      404,
      "not_found_error",
    );
  },
);

covers(["session-metadata"], "session metadata: up to 16 pairs of strings", async () => {
  const pairs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));
  assert.deepEqual((await makeSession(api, { metadata: pairs(16) })).metadata, pairs(16));
  const base = await makeSession(api);
  const bad = (metadata: AnyJson) =>
    api.post("/sessions", { agent: base.agent.id, environment_id: base.environment_id, metadata });
  for (const metadata of [pairs(17), { a: 1 }, { a: "x".repeat(513) }, { ["k".repeat(65)]: "v" }, [], "a"]) {
    assertError(await bad(metadata), 400, "invalid_request_error");
  }
});

covers(
  ["session-variables"],
  "environment_variables: an object; reserved and invalid names are rejected with 400",
  async () => {
    assert.deepEqual((await makeSession(api, { environment_variables: { A: "1" } })).environment_variables, {
      A: "1",
    });
    const base = await makeSession(api);
    for (const variables of [{ GH_TOKEN: "x" }, { "1A": "x" }, { A: 1 }, "A=1"]) {
      const body = {
        agent: base.agent.id,
        environment_id: base.environment_id,
        environment_variables: variables,
      };
      assertError(await api.post("/sessions", body as AnyJson), 400, "invalid_request_error");
    }
  },
);

covers(["session-list"], "list sessions: newest first, with filters", async () => {
  const own = await berth.client({ user: "lister@example.com" });
  const first = await makeSession(own);
  const second = await makeSession(own);
  const third = await makeSession(own, { agent: first.agent.id });
  await own.ok("POST", `/sessions/${second.id}/archive`);
  await own.ok("POST", `/sessions/${third.id}/terminate`);
  const ids = async (query: string) =>
    (await own.ok("GET", `/sessions?${query}`)).data.map(({ id }: AnyJson) => id);
  assert.deepEqual(await ids(""), [third.id, first.id]);
  assert.deepEqual(await ids("include_archived=true"), [third.id, second.id, first.id]);
  assert.deepEqual(await ids(`agent_id=${first.agent.id}`), [third.id, first.id]);
  assert.deepEqual(await ids(`environment_id=${first.environment_id}`), [first.id]);
  assert.deepEqual(await ids("statuses[]=terminated"), [third.id]);
  assert.deepEqual(await ids("statuses[]=terminated&statuses[]=idle"), [third.id, first.id]);
  assertError(await own.get("/sessions?statuses[]=asleep"), 400, "invalid_request_error", {
    param: "statuses[0]",
  });
});

covers(["session-get"], "unknown session → 404", async () => {
  assertError(await api.get(`/sessions/${ABSENT_SESSION}`), 404, "not_found_error");
  assertError(await api.get("/sessions/nonsense"), 404, "not_found_error");
});

covers(["session-cancel"], "cancel: ends a running turn and does not change an idle session", async () => {
  const session = await makeSession(api);
  assert.equal((await api.ok("POST", `/sessions/${session.id}/cancel`)).status, "idle");
  const sent = await api.ok("POST", `/sessions/${session.id}/events`, {
    events: [steps(bash("echo begun; sleep 60"))],
  });
  await readEventsUntil(api, session.id, ({ type }) => type === "agent.tool_use");
  assert.equal((await api.ok("GET", `/sessions/${session.id}`)).status, "running");
  await api.ok("POST", `/sessions/${session.id}/cancel`);
  const events = await waitForTurn(api, session.id, sent.data[0].id);
  assert.deepEqual(events.at(-1).stop_reason, { type: "cancelled" });
  assert.equal((await api.ok("GET", `/sessions/${session.id}`)).status, "idle");
  assertError(await api.post(`/sessions/${ABSENT_SESSION}/cancel`), 404, "not_found_error");
});

covers(["session-archive"], "archived session: can be read, not changed", async () => {
  const session = await makeSession(api);
  const archived = await api.ok("POST", `/sessions/${session.id}/archive`);
  assert.match(archived.archived_at, /Z$/);
  assert.equal((await api.ok("GET", `/sessions/${session.id}`)).archived_at, archived.archived_at);
  assert.equal(
    (await api.ok("POST", `/sessions/${session.id}/archive`)).archived_at,
    archived.archived_at,
    "archiving again changes nothing",
  );
  assertError(
    await api.post(`/sessions/${session.id}/events`, { events: [steps({ say: "hi" })] }),
    403,
    "permission_error",
  );
  assertError(await api.post(`/sessions/${session.id}/cancel`), 403, "permission_error");
  assertError(await api.post(`/sessions/${session.id}/terminate`), 403, "permission_error");
  assert.equal((await api.get(`/sessions/${session.id}/events`)).status, 200);
});

covers(["session-archive"], "archive: ends a running turn", async () => {
  const session = await makeSession(api, { initial_events: [steps(bash("sleep 60"))] });
  await readEventsUntil(api, session.id, ({ type }) => type === "agent.tool_use");
  await api.ok("POST", `/sessions/${session.id}/archive`);
  const events = await readEventsUntil(api, session.id, ({ type }) => type === "session.status_idle");
  assert.deepEqual(events.at(-1).stop_reason, { type: "cancelled" });
});

covers(["session-archive"], "archive: ends a turn whose calls wait for a client", async () => {
  const configs = [{ name: "Bash", permission_policy: { type: "always_ask" } }];
  const agent = await makeAgent(api, { tools: [{ type: "agent_toolset_20260401", configs }] });
  const session = await makeSession(api, { agent: agent.id, initial_events: [steps(bash("true"))] });
  await readEventsUntil(api, session.id, ({ type }) => type === "session.status_idle");
  const { data } = await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps({ say: "no" })] });
  await api.ok("POST", `/sessions/${session.id}/archive`);
  const turn = await waitForTurn(api, session.id, data[0].id);
  assert.deepEqual(turn.at(-1).stop_reason, { type: "cancelled" });
  assert.equal(toolResults(turn).length, 1);
  const log = (await api.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
  assert.deepEqual(
    log.filter(({ processed_at }: AnyJson) => processed_at === null),
    [],
  );
});

covers(
  ["session-terminate"],
  "terminated session: rejects events, cancel and terminate with 409",
  async () => {
    const session = await makeSession(api, { initial_events: [steps(bash("sleep 60"))] });
    await readEventsUntil(api, session.id, ({ type }) => type === "agent.tool_use");
    const ended = await api.ok("POST", `/sessions/${session.id}/terminate`);
    assert.equal(ended.status, "terminated");
    assertError(
      await api.post(`/sessions/${session.id}/events`, { events: [steps({ say: "hi" })] }),
      409,
      "conflict_error",
    );
    assertError(await api.post(`/sessions/${session.id}/terminate`), 409, "conflict_error");
    assertError(await api.post(`/sessions/${session.id}/cancel`), 409, "conflict_error");
    const events = await readEventsUntil(api, session.id, ({ type }) => type === "session.status_terminated");
    assert.equal(events.at(-1).type, "session.status_terminated");
    const log = (await api.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
    assert.equal(log.at(-1).type, "session.status_terminated", "no event follows it");
  },
);

covers(
  ["session-update"],
  "update session: changes the given fields and records the difference in session.updated",
  async () => {
    const session = await makeSession(api, { title: "First", metadata: { a: "1", b: "2" } });
    const path = `/sessions/${session.id}`;
    const renamed = await api.ok("POST", path, { title: "Second" });
    assert.deepEqual([renamed.title, renamed.metadata], ["Second", { a: "1", b: "2" }]);
    assert.ok(renamed.updated_at > session.updated_at);
    const patched = await api.ok("POST", path, { metadata: { a: null, b: "3", c: "4" } });
    assert.deepEqual([patched.title, patched.metadata], ["Second", { b: "3", c: "4" }]);
    const same = await api.ok("POST", path, { title: "Second", metadata: { c: "4", d: null } });
    assert.deepEqual(withoutTimes(same), withoutTimes(patched));
    const cleared = await api.ok("POST", path, { title: null, metadata: null });
    assert.deepEqual([cleared.title, cleared.metadata], ["", {}]);
    assert.deepEqual(withoutTimes(await api.ok("GET", path)), withoutTimes(cleared));
    const updates = (await api.ok("GET", `${path}/events?types[]=session.updated`)).data;
    assert.deepEqual(
      updates.map(({ id: _id, created_at: _at, processed_at: _then, type: _type, ...rest }: AnyJson) => rest),
      [{ title: "Second" }, { metadata: { b: "3", c: "4" } }, { title: "", metadata: {} }],
    );
    for (const [param, body] of [
      ["environment_variables", { environment_variables: { A: "1" } }],
      ["resources", { resources: [] }],
      ["title", { title: 5 }],
      ["title", { title: "x".repeat(501) }],
      ["metadata.a", { metadata: { a: 1 } }],
      ["metadata", { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, "v"])) }],
    ] as const) {
      assertError(await api.post(path, body), 400, "invalid_request_error", { param });
    }
    assertError(await api.post(`/sessions/${ABSENT_SESSION}`, { title: "x" }), 404, "not_found_error");
    const other = await berth.client({ user: "other@example.com" });
    assertError(await other.post(path, { title: "x" }), 403, "permission_error");
  },
);

covers(["session-update-ended"], "update of an archived or terminated session is rejected", async () => {
  for (const [verb, status, type] of [
    ["archive", 403, "permission_error"],
    ["terminate", 409, "conflict_error"],
  ] as const) {
    const { id } = await makeSession(api);
    await api.ok("POST", `/sessions/${id}/${verb}`);
    assertError(await api.post(`/sessions/${id}`, { title: "x" }), status, type);
  }
});

covers(
  ["session-delete", "session-delete-stream"],
  "delete session: it is 404 afterwards, its disk is removed, and its streams end",
  async () => {
    const session = await makeSession(api);
    const path = `/sessions/${session.id}`;
    const disks = () => readdirSync(berth.dataDir, { recursive: true, encoding: "utf8" });
    const isDisk = (name: string) => name.endsWith(session.id);
    const sent = await api.ok("POST", `${path}/events`, { events: [steps(bash("echo begun; sleep 60"))] });
    await readEventsUntil(api, session.id, ({ type }) => type === "agent.tool_use");
    assertError(await api.delete(path), 409, "conflict_error", { message: /running/ });
    const other = await berth.client({ user: "other@example.com" });
    assertError(await other.delete(path), 403, "permission_error");
    await api.ok("POST", `${path}/cancel`);
    await waitForTurn(api, session.id, sent.data[0].id);
    assert.ok(disks().some(isDisk), "the session has a disk");
    const following = readEventsUntil(api, session.id, ({ type }) => type === "session.deleted");
    await api.ok("POST", path, { title: "Last" });
    assert.deepEqual(await api.ok("DELETE", path), { id: session.id, type: "session_deleted" });
    assert.equal((await following).at(-1).type, "session.deleted");
    for (const response of [
      await api.get(path),
      await api.get(`${path}/events`),
      await api.get(`${path}/events/stream`),
      await api.get(`${path}/resources`),
      await api.post(`${path}/events`, { events: [steps({ say: "hi" })] }),
      await api.post(`${path}/cancel`),
      await api.delete(path),
    ]) {
      assertError(response, 404, "not_found_error");
    }
    const listed = (await api.ok("GET", "/sessions?include_archived=true&limit=100")).data;
    assert.ok(!listed.some(({ id }: AnyJson) => id === session.id));
    const gone = new AbortController();
    setTimeout(() => gone.abort(new Error("the disk was not removed")), 60_000).unref();
    while (disks().some(isDisk)) await pause(50, undefined, { signal: gone.signal });
    for (const verb of ["archive", "terminate"]) {
      const { id } = await makeSession(api);
      await api.ok("POST", `/sessions/${id}/${verb}`);
      assert.equal((await api.delete(`/sessions/${id}`)).status, 200);
    }
  },
);

covers(
  ["session-stats", "event-turn"],
  "session stats: usage and active time grow with the work",
  async () => {
    const session = await makeSession(api);
    const events = await runTurn(api, session.id, { say: "one" }, bash("sleep 1.1"), { say: "two" });
    const usages = events
      .filter(({ type }) => type === "span.model_request_end")
      .map(({ model_usage: usage }) => usage);
    const { usage, stats } = await api.ok("GET", `/sessions/${session.id}`);
    assert.ok(usage.output_tokens > 0);
    assert.equal(
      usage.output_tokens,
      usages.reduce((sum: number, one: AnyJson) => sum + one.output_tokens, 0),
    );
    assert.equal(
      usage.input_tokens,
      usages.reduce((sum: number, one: AnyJson) => sum + one.input_tokens, 0),
    );
    assert.ok(
      stats.active_seconds >= 1 && stats.duration_seconds >= stats.active_seconds,
      JSON.stringify(stats),
    );
  },
);

function withoutTimes(session: AnyJson): AnyJson {
  return { ...session, stats: null, updated_at: null };
}
