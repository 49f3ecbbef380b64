import assert from "node:assert/strict";
import { after, before } from "node:test";
import { type Api, refused } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { bash, makeAgent, makeSession, results, turn } from "../harness/fixtures.ts";
import { proves } from "../harness/proves.ts";

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
});
after(() => berth.stop());

const model = "rehearsal/steps";

proves(["agent-name"], "an agent needs a name of 1 to 256 characters", async () => {
  refused(await api.post("/agents", { model }), 400, "invalid_request_error", {
    message: "Field 'name' is required.",
    param: "name",
  });
  refused(await api.post("/agents", { name: "", model }), 400, "invalid_request_error", { param: "name" });
  refused(await api.post("/agents", { name: "x".repeat(257), model }), 400, "invalid_request_error", {
    param: "name",
  });
  assert.equal((await api.post("/agents", { name: "x".repeat(256), model })).status, 200);
});

proves(["agent-read", "ids"], "an agent reads as it was made", async () => {
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
  assert.deepEqual(await api.ok("GET", `/agents/${made.id}`), made);
  assert.deepEqual((await api.ok("GET", "/agents?limit=1")).data, [made]);
  refused(await api.get("/agents/agent_01h00000000000000000000000"), 404, "not_found_error");
  refused(await api.get("/agents/nonsense"), 404, "not_found_error");
});

proves(["agent-model"], "a model is named by provider and name, and has to be reachable", async () => {
  const made = await makeAgent(api, { model: { id: model, context_window: 5000 } });
  assert.deepEqual(made.model, { id: model, effective_context_window: 5000 });
  assert.equal(typeof (await makeAgent(api)).model.effective_context_window, "number");
  refused(await api.post("/agents", { name: "a" }), 400, "invalid_request_error", {
    message: "Field 'model' is required.",
    param: "model",
  });
  refused(await api.post("/agents", { name: "a", model: "nobody/nothing" }), 400, "invalid_request_error", {
    param: "model",
  });
});

proves(["agent-tools"], "the toolset resolves to the tools that the agent has", async () => {
  const type = "agent_toolset_20260401";
  const enabled = async (toolset: object) =>
    (await makeAgent(api, { tools: [{ type, ...toolset }] })).tools[0].enabled_tools;
  const all = ["Bash", "Read", "Write", "Edit", "Glob", "Grep"];
  assert.deepEqual(await enabled({}), all);
  assert.deepEqual(await enabled({ enabled_tools: [] }), all);
  assert.deepEqual(await enabled({ enabled_tools: ["Read", "Bash"] }), ["Bash", "Read"]);
  assert.deepEqual(await enabled({ disallowed_tools: ["Bash"] }), all.slice(1));
  assert.deepEqual(await enabled({ configs: [{ name: "Grep", enabled: false }] }), all.slice(0, 5));
  const bad = (toolset: object) => api.post("/agents", { name: "a", model, tools: [{ type, ...toolset }] });
  refused(await bad({ enabled_tools: ["bash"] }), 400, "invalid_request_error", {
    param: "tools[0].enabled_tools[0]",
  });
  refused(await bad({ enabled_tools: ["Bash"], disallowed_tools: ["Bash"] }), 400, "invalid_request_error", {
    message: /Bash/,
  });
  refused(
    await api.post("/agents", { name: "a", model, tools: [{ type: "agent_toolset_2020" }] }),
    400,
    "invalid_request_error",
    { param: "tools[0].type" },
  );
  const later = await api.post("/agents", { name: "a", model, tools: [{ type: "custom", name: "x" }] });
  refused(later, 400, "invalid_request_error", { message: /not available in this version/ });
  assert.deepEqual((await makeAgent(api, { tools: [] })).tools, []);
});

proves(["agent-permission"], "a tool that is denied or not enabled is never run", async () => {
  const type = "agent_toolset_20260401";
  const configs = [{ name: "Write", permission_policy: { type: "always_deny" } }];
  const agent = await makeAgent(api, { tools: [{ type, enabled_tools: ["Bash", "Write"], configs }] });
  const session = await makeSession(api, { agent: agent.id });
  const events = await turn(
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
  assert.ok(!results(events)[2]?.includes("denied"));
});
