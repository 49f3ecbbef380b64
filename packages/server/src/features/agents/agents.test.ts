import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testApp } from "../../http/testing.ts";

const model = "rehearsal/steps";
const type = "agent_toolset_20260401";

describe("agents", () => {
  test("read as they were made, every default filled in", async (t) => {
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
      archived_at: null,
    });
    assert.deepEqual((await owner.get(`/agents/${id}`)).body, made);
    assert.deepEqual((await owner.get("/agents")).body.data, [made]);
    const other = await caller({ email: "other@example.com" });
    assert.equal((await other.get(`/agents/${id}`)).status, 403);
    assert.deepEqual((await other.get("/agents")).body.data, []);
  });

  test("resolve their tools: none named is all, and what is taken away is gone", async (t) => {
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

  test("need a model that can be reached, and may narrow its window", async (t) => {
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
});
