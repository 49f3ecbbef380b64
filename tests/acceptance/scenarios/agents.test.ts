import assert from "node:assert/strict";
import { assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, makeSession, runTurn, toolResults } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

const MODEL = "rehearsal/steps";

covers(["agent-name"], "create agent: a name without 1 to 256 characters is rejected with 400", async () => {
  assertError(await api.post("/agents", { model: MODEL }), 400, "invalid_request_error", {
    message: "Field 'name' is required.",
    param: "name",
  });
  assertError(await api.post("/agents", { name: "", model: MODEL }), 400, "invalid_request_error", {
    param: "name",
  });
  assertError(
    await api.post("/agents", { name: "x".repeat(257), model: MODEL }),
    400,
    "invalid_request_error",
    {
      param: "name",
    },
  );
  assert.equal((await api.post("/agents", { name: "x".repeat(256), model: MODEL })).status, 200);
});

covers(["agent-read", "ids"], "read agent: returns the agent as created", async () => {
  const made = await makeAgent(api, {
    name: "Reader",
    description: "reads",
    system: "Be brief.",
    metadata: { team: "a" },
  });
  assert.match(made.id, /^agent_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.equal(made.type, "agent");
  assert.equal(made.version, 1);
  assert.equal(made.archived_at, null);
  assert.deepEqual(made.metadata, { team: "a" });
  assert.equal(made.system, "Be brief.");
  assert.equal(made.description, "reads");
  assert.deepEqual(await api.ok("GET", `/agents/${made.id}`), made);
  assert.deepEqual((await api.ok("GET", "/agents?limit=1")).data, [made]);
  assertError(await api.get("/agents/agent_01h00000000000000000000000"), 404, "not_found_error");
  assertError(await api.get("/agents/nonsense"), 404, "not_found_error");
});

covers(
  ["agent-model"],
  "agent model: provider/model or an object with id; an unusable model is rejected with 400",
  async () => {
    const made = await makeAgent(api, { model: { id: MODEL, context_window: 5000 } });
    assert.deepEqual(made.model, { id: MODEL, effective_context_window: 5000 });
    assert.equal(typeof (await makeAgent(api)).model.effective_context_window, "number");
    assertError(await api.post("/agents", { name: "a" }), 400, "invalid_request_error", {
      message: "Field 'model' is required.",
      param: "model",
    });
    assertError(
      await api.post("/agents", { name: "a", model: "nobody/nothing" }),
      400,
      "invalid_request_error",
      {
        param: "model",
      },
    );
  },
);

covers(
  ["agent-tools"],
  "agent toolset: enabled_tools, disallowed_tools and configs resolve to the enabled tools",
  async () => {
    const type = "agent_toolset_20260401";
    const enabled = async (toolset: object) =>
      (await makeAgent(api, { tools: [{ type, ...toolset }] })).tools[0].enabled_tools;
    const all = ["Bash", "Read", "Write", "Edit", "Glob", "Grep"];
    assert.deepEqual(await enabled({}), all);
    assert.deepEqual(await enabled({ enabled_tools: [] }), all);
    assert.deepEqual(await enabled({ enabled_tools: ["Read", "Bash"] }), ["Bash", "Read"]);
    assert.deepEqual(await enabled({ disallowed_tools: ["Bash"] }), all.slice(1));
    assert.deepEqual(await enabled({ configs: [{ name: "Grep", enabled: false }] }), all.slice(0, 5));
    const bad = (toolset: object) =>
      api.post("/agents", { name: "a", model: MODEL, tools: [{ type, ...toolset }] });
    assertError(await bad({ enabled_tools: ["bash"] }), 400, "invalid_request_error", {
      param: "tools[0].enabled_tools[0]",
    });
    assertError(
      await bad({ enabled_tools: ["Bash"], disallowed_tools: ["Bash"] }),
      400,
      "invalid_request_error",
      {
        message: /Bash/,
      },
    );
    assertError(
      await api.post("/agents", { name: "a", model: MODEL, tools: [{ type: "agent_toolset_2020" }] }),
      400,
      "invalid_request_error",
      { param: "tools[0].type" },
    );
    assert.deepEqual((await makeAgent(api, { tools: [] })).tools, []);
  },
);

covers(
  ["agent-update"],
  "update agent: a difference creates a version, and only the newest version can be updated",
  async () => {
    const made = await makeAgent(api, {
      description: "first",
      system: "Be brief.",
      metadata: { a: "1", b: "2" },
    });
    const path = `/agents/${made.id}`;
    assert.deepEqual(await api.ok("POST", path, { version: 1 }), made);
    assert.deepEqual(
      await api.ok("POST", path, { version: 1, system: "Be brief.", tools: made.tools }),
      made,
    );
    const changed = await api.ok("POST", path, {
      version: 1,
      description: null,
      tools: [],
      metadata: { b: null, c: "3" },
    });
    assert.deepEqual(changed, {
      ...made,
      version: 2,
      description: null,
      tools: [],
      metadata: { a: "1", c: "3" },
      updated_at: changed.updated_at,
    });
    const stale = await api.post(path, { version: 1, name: "late" });
    assertError(stale, 409, "conflict_error", { param: "version" });
    assert.equal(stale.headers.get("x-should-retry"), "false");
    assertError(await api.post(path, { name: "blind" }), 400, "invalid_request_error", {
      message: "Field 'version' is required.",
      param: "version",
    });
    assertError(await api.post(path, { version: 2, name: null }), 400, "invalid_request_error", {
      param: "name",
    });
    assert.deepEqual(await api.ok("GET", path), changed);
    assert.equal((await api.ok("GET", `${path}/versions`)).data.length, 2);
    const changes = await Promise.all([1, 2, 3, 4].map((n) => api.post(path, { version: 2, name: `n${n}` })));
    assert.deepEqual(changes.map(({ status }) => status).toSorted(), [200, 409, 409, 409]);
  },
);

covers(
  ["agent-versions"],
  "agent versions: can be listed and read, and a session keeps its version",
  async () => {
    const made = await makeAgent(api, { name: "v1", system: "Be the first." });
    const path = `/agents/${made.id}`;
    const versions = [made];
    for (let version = 1; version < 5; version += 1) {
      versions.unshift(await api.ok("POST", path, { version, name: `v${version + 1}` }));
    }
    const seen = [];
    for (let query = "?limit=2"; query !== ""; ) {
      const page = await api.ok("GET", `${path}/versions${query}`);
      seen.push(...page.data);
      assert.equal(page.has_more, page.next_page !== null);
      query = page.has_more ? `?limit=2&page=${page.next_page}` : "";
    }
    assert.deepEqual(seen, versions);
    const latest = `created_at[gte]=${versions[0].updated_at}`;
    assert.deepEqual((await api.ok("GET", `${path}/versions?${latest}`)).data[0], versions[0]);
    const future = new Date(Date.now() + 60_000).toISOString();
    assert.deepEqual((await api.ok("GET", `${path}/versions?created_at[gt]=${future}`)).data, []);
    assertError(await api.get(`${path}/versions?limit=101`), 400, "invalid_request_error", {
      message: "limit exceeds maximum of 100",
    });
    assert.deepEqual(await api.ok("GET", `${path}?version=1`), made);
    assertError(await api.get(`${path}?version=6`), 404, "not_found_error");
    assertError(await api.get(`${path}?version=x`), 400, "invalid_request_error", { param: "version" });
    const older = await makeSession(api, { agent: { id: made.id, type: "agent", version: 2 } });
    assert.deepEqual([older.agent.version, older.agent.name], [2, "v2"]);
    const newest = await makeSession(api, { agent: made.id });
    assert.equal(newest.agent.version, 5);
    await api.ok("POST", path, { version: 5, name: "v6" });
    assert.deepEqual((await api.ok("GET", `/sessions/${newest.id}`)).agent, newest.agent);
    assertError(
      await api.post("/sessions", {
        agent: { id: made.id, type: "agent", version: 7 },
        environment_id: older.environment_id,
      }),
      404,
      "not_found_error",
      { param: "agent.version" },
    );
  },
);

covers(["agent-archive"], "archived agent: can be read, not changed or used", async () => {
  const made = await makeAgent(api);
  const path = `/agents/${made.id}`;
  const archived = await api.ok("POST", `${path}/archive`);
  assert.match(archived.archived_at, /^\d{4}-.*Z$/);
  assert.deepEqual(await api.ok("POST", `${path}/archive`), archived);
  assert.deepEqual(await api.ok("GET", path), archived);
  assertError(await api.post(path, { version: 1, name: "x" }), 403, "permission_error", {
    message: /archived/,
  });
  const environment = await makeEnvironment(api);
  const session = await api.post("/sessions", { agent: made.id, environment_id: environment.id });
  assertError(session, 409, "conflict_error");
  const ids = async (query: string) =>
    (await api.ok("GET", `/agents${query}`)).data.map(({ id }: { id: string }) => id);
  assert.ok(!(await ids("?limit=100")).includes(made.id));
  assert.ok((await ids("?limit=100&include_archived=true")).includes(made.id));
});

covers(
  ["agent-delete"],
  "delete agent: it is 404 afterwards; an agent of a session is not deleted",
  async () => {
    const made = await makeAgent(api);
    assert.deepEqual(await api.ok("DELETE", `/agents/${made.id}`), { id: made.id, type: "agent_deleted" });
    for (const path of [`/agents/${made.id}`, `/agents/${made.id}/versions`]) {
      assertError(await api.get(path), 404, "not_found_error");
    }
    assertError(await api.delete(`/agents/${made.id}`), 404, "not_found_error");
    const session = await makeSession(api);
    assertError(await api.delete(`/agents/${session.agent.id}`), 409, "conflict_error");
    assert.equal((await api.ok("GET", `/agents/${session.agent.id}`)).version, 1);
  },
);

covers(["model-list"], "list models: returns the usable models and requires agents:read", async () => {
  const page = await api.ok("GET", "/models");
  const listed = page.data.find(({ id }: { id: string }) => id === MODEL);
  assert.equal(page.has_more, false);
  assert.equal(page.next_page, null);
  assert.deepEqual(listed, {
    id: MODEL,
    type: "model",
    provider: "rehearsal",
    effective_context_window: (await makeAgent(api)).model.effective_context_window,
    max_output_tokens: listed.max_output_tokens,
    default: false,
    price: { input: 0, output: 0, cache_read: 0, cache_write: 0, date: listed.price.date },
  });
  const narrow = await berth.client({ scopes: "sessions:read" });
  assertError(await narrow.get("/models"), 403, "permission_error", { message: /agents:read/ });
});

covers(
  ["agent-permission"],
  "tool permissions: a tool that is denied or not enabled never runs",
  async () => {
    const type = "agent_toolset_20260401";
    const configs = [{ name: "Write", permission_policy: { type: "always_deny" } }];
    const agent = await makeAgent(api, { tools: [{ type, enabled_tools: ["Bash", "Write"], configs }] });
    const session = await makeSession(api, { agent: agent.id });
    const events = await runTurn(
      api,
      session.id,
      { tool: "Write", input: { file_path: "/data/denied", content: "x" } },
      { tool: "Glob", input: { pattern: "*" } },
      bash("ls -a /data"),
    );
    const uses = events.filter(({ type }) => type === "agent.tool_use");
    assert.deepEqual(
      uses.map(({ name, evaluated_permission: permission }) => [name, permission]),
      [
        ["Write", "deny"],
        ["Glob", "deny"],
        ["Bash", "allow"],
      ],
    );
    const outcomes = events.filter(({ type }) => type === "agent.tool_result");
    assert.deepEqual(
      outcomes.map(({ is_error: failed }) => failed),
      [true, true, false],
    );
    assert.ok(!toolResults(events)[2]?.includes("denied"));
  },
);

covers(["dry-run"], "dry run: checked and answered, and nothing changes", async () => {
  const dry = { headers: { "berth-dry-run": "true" } };
  const answer = await api.post("/agents", { name: "Dry", model: MODEL }, dry);
  assert.deepEqual([answer.status, answer.body.name, answer.body.version], [200, "Dry", 1]);
  assertError(await api.get(`/agents/${answer.body.id}`), 404, "not_found_error");
  assertError(await api.post("/agents", { name: "Dry", sistem: "x" }, dry), 400, "invalid_request_error", {
    param: "sistem",
  });
  assertError(await api.post("/sessions", {}, dry), 400, "invalid_request_error", { param: "berth-dry-run" });
});
