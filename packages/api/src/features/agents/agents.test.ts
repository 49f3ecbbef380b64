// Subject: the routes of agents and models.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testApp, type Wire } from "../../../test-support/http.ts";
import type { AppDeps } from "../../app/app.ts";

const model = "rehearsal/steps";
const MODELS: AppDeps["models"] = {
  get: () => ({ contextWindow: 1_000 }),
  list: () => [
    { id: model, provider: "rehearsal", context_window: 1_000, max_output_tokens: 100, price: null },
  ],
  totalCost: () => 0,
  defaultModel: null,
};
const type = "agent_toolset_20260401";

describe("agents", () => {
  test("create: without a model → the installation's default; without that → 400", async (t) => {
    const { caller } = await testApp(t, { models: { ...MODELS, defaultModel: model } });
    const owner = await caller();
    const made = await owner.made("/agents", { name: "A" });
    assert.deepEqual(made.model, { id: model, effective_context_window: 1_000 });
    assert.deepEqual((await owner.get("/models")).body.data[0].default, true);

    const without = await (await testApp(t, { models: MODELS })).caller();
    const { status, body } = await without.post("/agents", { name: "A" });
    assert.deepEqual([status, body.error.param], [400, "model"]);
    assert.equal(body.error.message, "Field 'model' is required.");
    assert.deepEqual((await without.get("/models")).body.data[0].default, false);
  });

  test("get: every default is filled in", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const made = await owner.made("/agents", {
      name: "A",
      model,
      tools: [{ type }],
      metadata: { team: "a" },
    });
    const { id, owner_id: _owner, created_at: created, updated_at: updated, ...rest } = made;
    assert.equal(created, updated);
    assert.deepEqual(rest, {
      type: "agent",
      name: "A",
      description: null,
      model: { id: model, effective_context_window: 200_000 },
      system: "",
      tools: [{ type, enabled_tools: ["Bash", "Read", "Write", "Edit", "Glob", "Grep"] }],
      mcp_servers: [],
      skills: [],
      version: 1,
      metadata: { team: "a" },
      owner_type: "user",
      visibility: "private",
      archived_at: null,
    });
    assert.deepEqual((await owner.get(`/agents/${id}`)).body, made);
    assert.deepEqual((await owner.get("/agents")).body.data, [made]);
    const other = await caller({ email: "other@example.com" });
    assert.equal((await other.get(`/agents/${id}`)).status, 403);
    assert.deepEqual((await other.get("/agents")).body.data, []);
  });

  test("tools: none named → all; disallowed ones are removed", async (t) => {
    const owner = await (await testApp(t)).caller();
    const tools = async (toolset: object) =>
      (await owner.made("/agents", { name: "a", model, tools: [{ type, ...toolset }] })).tools[0];
    assert.deepEqual((await tools({ enabled_tools: ["Read", "Bash"] })).enabled_tools, ["Bash", "Read"]);
    assert.deepEqual(
      (await tools({ enabled_tools: null, disallowed_tools: ["Bash", "Grep"] })).enabled_tools,
      ["Read", "Write", "Edit", "Glob"],
    );
    const configs = [
      { name: "Write", permission_policy: { type: "always_deny" } },
      { name: "Edit", enabled: false },
    ];
    assert.deepEqual(await tools({ configs }), {
      type,
      enabled_tools: ["Bash", "Read", "Write", "Glob", "Grep"],
      configs: [
        { name: "Write", enabled: true, permission_policy: { type: "always_deny" } },
        { name: "Edit", enabled: false, permission_policy: { type: "always_allow" } },
      ],
    });
  });

  test("model: unavailable → rejected; a smaller context window → kept", async (t) => {
    const owner = await (await testApp(t)).caller();
    const made = await owner.made("/agents", {
      name: "a",
      model: { id: model, context_window: 5_000, effort: "low" },
    });
    assert.deepEqual(made.model, { id: model, effort: "low", effective_context_window: 5_000 });
    for (const [choice, param] of [
      ["nobody/nothing", "model"],
      [{ id: "nobody/nothing" }, "model.id"],
    ] as const) {
      const { status, body } = await owner.post("/agents", { name: "a", model: choice });
      assert.deepEqual([status, body.error.param], [400, param]);
    }
  });

  test("update: a difference → a new version; no difference → none", async (t) => {
    const owner = await (await testApp(t)).caller();
    const made = await owner.made("/agents", {
      name: "a",
      model: { id: model, effort: "low" },
      description: "first",
      system: "Be brief.",
      tools: [{ type }],
      metadata: { keep: "k", drop: "d" },
    });
    const path = `/agents/${made.id}`;
    for (const same of [
      {},
      { name: "a", tools: [{ type, enabled_tools: [] }] },
      { metadata: { never: null } },
    ]) {
      assert.deepEqual(await owner.made(path, { version: 1, ...same }), made);
    }
    const second = await owner.made(path, {
      version: 1,
      name: "b",
      system: null,
      tools: [{ type, enabled_tools: ["Bash"] }],
      metadata: { drop: null, more: "m" },
    });
    assert.deepEqual(second, {
      ...made,
      version: 2,
      name: "b",
      system: "",
      tools: [{ type, enabled_tools: ["Bash"] }],
      metadata: { keep: "k", more: "m" },
      updated_at: second.updated_at,
    });
    const stale = await owner.post(path, { version: 1, name: "c" });
    assert.deepEqual(
      [stale.status, stale.body.error.type, stale.body.error.param],
      [409, "conflict_error", "version"],
    );
    const third = await owner.made(path, {
      version: 2,
      description: null,
      model,
      tools: null,
      metadata: null,
    });
    assert.deepEqual([third.description, third.tools, third.metadata], [null, [], {}]);
    assert.deepEqual(third.model, { id: model, effective_context_window: 200_000 });
    assert.deepEqual((await owner.get(path)).body, third);
    assert.deepEqual((await owner.get(`${path}/versions`)).body.data, [third, second, made]);
    assert.deepEqual((await owner.get(`${path}?version=1`)).body, made);
    const absent = await owner.get(`${path}?version=4`);
    assert.deepEqual([absent.status, absent.body.error.param], [404, "version"]);
    for (const [param, body] of [
      ["version", { name: "c" }],
      ["name", { version: 3, name: null }],
      ["model", { version: 3, model: "nobody/nothing" }],
      [
        "metadata",
        { version: 3, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [i, ""])) },
      ],
    ] as const) {
      const { status, body: response } = await owner.post(path, body);
      assert.deepEqual([status, response.error.param], [400, param]);
    }
    assert.equal((await owner.get(path)).body.version, 3);
  });

  test("update: concurrent changes of one version → one succeeds", async (t) => {
    const owner = await (await testApp(t)).caller();
    const { id } = await owner.made("/agents", { name: "a", model });
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => owner.post(`/agents/${id}`, { version: 1, name: `a${index}` })),
    );
    const won = replies.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    assert.equal(replies.filter(({ status }) => status === 409).length, 7);
    assert.deepEqual((await owner.get(`/agents/${id}`)).body, won[0]?.body);
  });

  test("versions: bounds on created_at apply to each version's creation", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    const { id } = await owner.made("/agents", { name: "v1", model: "rehearsal/steps" });
    for (const version of [1, 2]) await owner.made(`/agents/${id}`, { version, name: `v${version + 1}` });
    const times = ["10:00:00.000900", "10:00:00.001", "10:00:00.002100"];
    for (const [index, time] of times.entries()) {
      const text = "update agent_versions set created_at = $1 where version = $2";
      await db.write.query({ text, values: [`2026-01-01T${time}Z`, index + 1] });
    }
    const listed = async (bounds: string) => {
      const { status, body, text } = await owner.get(`/agents/${id}/versions?${bounds}`);
      assert.equal(status, 200, text);
      return body.data.map(({ version }: Wire) => version);
    };
    const at = (millisecond: number) => `2026-01-01T10:00:00.00${millisecond}Z`;
    assert.deepEqual(await listed(`created_at[gt]=${at(1)}`), [3]);
    assert.deepEqual(await listed(`created_at[gte]=${at(1)}`), [3, 2]);
    assert.deepEqual(await listed(`created_at[lt]=${at(2)}`), [2, 1]);
    assert.deepEqual(await listed(`created_at[lte]=${at(2)}`), [3, 2, 1]);
    assert.deepEqual(await listed(`created_at[lte]=${at(0)}&limit=1`), [1]);
    const page = await owner.get(`/agents/${id}/versions?limit=1&created_at[gte]=${at(1)}`);
    assert.deepEqual(await listed(`created_at[gte]=${at(1)}&page=${page.body.next_page}`), [2]);
    assert.equal((await owner.get(`/agents/${id}/versions?page=${page.body.next_page}`)).status, 400);
  });

  test("versions: a cursor of another list or caller → rejected", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const { id } = await owner.made("/agents", { name: "a1", model });
    for (let version = 1; version < 7; version += 1) {
      await owner.made(`/agents/${id}`, { version, name: `a${version + 1}` });
    }
    const seen: number[] = [];
    let page = (await owner.get(`/agents/${id}/versions?limit=3`)).body;
    const first = page.next_page;
    for (; ; page = (await owner.get(`/agents/${id}/versions?limit=3&page=${page.next_page}`)).body) {
      seen.push(...page.data.map(({ version }: { version: number }) => version));
      assert.equal(page.has_more, page.next_page !== null);
      assert.deepEqual([page.first_id, page.last_id], [id, id]);
      if (seen.length === 3) await owner.made(`/agents/${id}`, { version: 7, name: "a8" });
      if (page.next_page === null) break;
    }
    assert.deepEqual(seen, [7, 6, 5, 4, 3, 2, 1]);
    const another = await owner.made("/agents", { name: "b", model });
    for (const path of [`/agents/${another.id}/versions`, "/agents"]) {
      const reply = await owner.get(`${path}?page=${first}`);
      assert.deepEqual([reply.status, reply.body.error.param], [400, "page"]);
    }
    for (const query of ["limit=0", "limit=101", `after_id=${id}`, "page=x"]) {
      assert.equal((await owner.get(`/agents/${id}/versions?${query}`)).status, 400, query);
    }
    const other = await caller({ email: "other@example.com" });
    for (const path of [`/agents/${id}/versions`, `/agents/${id}?version=1`]) {
      assert.equal((await other.get(path)).status, 403);
    }
    assert.equal((await other.post(`/agents/${id}`, { version: 8, name: "x" })).status, 403);
    assert.equal((await other.post(`/agents/${id}/archive`)).status, 403);
    assert.equal((await other.delete(`/agents/${id}`)).status, 403);
  });

  test("archive and delete: archived → read-only; deleted → gone, unless a session refers to it", async (t) => {
    const owner = await (await testApp(t)).caller();
    const environment = await owner.made("/environments", { name: "e" });
    const made = await owner.made("/agents", { name: "a", model });
    const path = `/agents/${made.id}`;
    const second = await owner.made(path, { version: 1, name: "b" });
    const older = { id: made.id, type: "agent", version: 1 };
    const start = (agent: object | string) =>
      owner.post("/sessions", { agent, environment_id: environment.id });
    const session = await start(older);
    assert.deepEqual([session.body.agent.version, session.body.agent.name], [1, "a"]);
    assert.equal((await start(made.id)).body.agent.version, 2);
    for (const version of [3, 2 ** 40]) {
      const reply = await start({ ...older, version });
      assert.deepEqual([reply.status, reply.body.error.param], [404, "agent.version"]);
    }
    const archived = await owner.made(`${path}/archive`, {});
    assert.deepEqual(archived, {
      ...second,
      archived_at: archived.archived_at,
      updated_at: archived.updated_at,
    });
    assert.deepEqual((await owner.post(`${path}/archive`)).body, archived);
    assert.deepEqual((await owner.get(`${path}?version=2`)).body, archived);
    assert.deepEqual((await owner.get("/agents")).body.data, []);
    assert.equal((await owner.post(path, { version: 2, name: "c" })).status, 403);
    assert.equal((await start(made.id)).status, 409);
    assert.equal((await start(older)).status, 409);
    const used = await owner.delete(path);
    assert.deepEqual([used.status, used.body.error.type], [409, "conflict_error"]);
    const unused = await owner.made("/agents", { name: "unused", model });
    const gone = await owner.delete(`/agents/${unused.id}`);
    assert.deepEqual([gone.status, gone.body], [200, { id: unused.id, type: "agent_deleted" }]);
    for (const suffix of ["", "?version=1", "/versions"]) {
      assert.equal((await owner.get(`/agents/${unused.id}${suffix}`)).status, 404);
    }
    assert.equal((await owner.delete(`/agents/${unused.id}`)).status, 404);
    assert.deepEqual((await owner.get(`/sessions/${session.body.id}`)).body.agent, session.body.agent);
  });

  test("models: the list has every model that an agent can have", async (t) => {
    const { caller } = await testApp(t);
    const listed = await (await caller()).get("/models");
    assert.deepEqual(listed.body, {
      data: [
        {
          id: model,
          type: "model",
          provider: "rehearsal",
          effective_context_window: 200_000,
          max_output_tokens: 8_000,
          default: false,
          price: { input: 0, output: 0, cache_read: 0, cache_write: 0, date: "2026-01-31" },
        },
      ],
      next_page: null,
      first_id: model,
      last_id: model,
      has_more: false,
    });
    assert.equal((await (await caller({ scopes: ["sessions:read"] })).get("/models")).status, 403);
  });
});
