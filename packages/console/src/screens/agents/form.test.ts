import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent } from "@berth/sdk";
import { FormFault } from "../../ui/use-save.ts";
import { bodyOf, changeOf, EMPTY_FORM, formOf, newServer, placeOf } from "./form.ts";

const models = [{ id: "acme/large", effective_context_window: 200_000 }];

const agent = {
  id: "agent_a",
  type: "agent",
  name: "Reviewer",
  description: null,
  model: { id: "acme/large", effort: "high", effective_context_window: 100_000 },
  system: "Be careful.\n",
  tools: [
    {
      type: "agent_toolset_20260401",
      enabled_tools: ["Bash", "Read"],
      configs: [
        { name: "Bash", enabled: true, permission_policy: { type: "always_ask" } },
        {
          name: "Read",
          enabled: true,
          permission_policy: { type: "always_allow" },
          max_result_bytes: 40_000,
        },
        { name: "Grep", enabled: false, permission_policy: { type: "always_allow" } },
      ],
    },
    { type: "custom", name: "ask", description: "Asks.", input_schema: { type: "object" } },
    {
      type: "mcp_toolset",
      mcp_server_name: "tickets",
      default_config: { enabled: false, permission_policy: { type: "always_ask" } },
      configs: [{ name: "search", enabled: true, permission_policy: { type: "always_allow" } }],
    },
  ],
  mcp_servers: [{ type: "url", name: "tickets", url: "https://tickets.example/mcp" }],
  skills: [{ type: "custom", skill_id: "skill_a", version: null, name: "triage" }],
  version: 3,
  metadata: { team: "core", tier: "1" },
} as unknown as Agent;

test("a form of an agent makes the agent again", () => {
  assert.deepEqual(bodyOf(formOf(agent, models)), {
    name: "Reviewer",
    description: null,
    model: { id: "acme/large", effort: "high", context_window: 100_000 },
    system: "Be careful.\n",
    tools: [
      {
        type: "agent_toolset_20260401",
        enabled_tools: ["Bash", "Read"],
        configs: [
          { name: "Bash", permission_policy: { type: "always_ask" } },
          { name: "Read", max_result_bytes: 40_000 },
        ],
      },
      { type: "custom", name: "ask", description: "Asks.", input_schema: { type: "object" } },
      {
        type: "mcp_toolset",
        mcp_server_name: "tickets",
        default_config: { enabled: false },
        configs: [{ name: "search", enabled: true, permission_policy: { type: "always_allow" } }],
      },
    ],
    mcp_servers: [{ type: "url", name: "tickets", url: "https://tickets.example/mcp" }],
    skills: [{ type: "custom", skill_id: "skill_a" }],
    git_identity: null,
    metadata: { team: "core", tier: "1" },
  });
});

test("a new agent has all tools, and one without any has no toolset", () => {
  const body = bodyOf({ ...EMPTY_FORM, name: " Helper " });
  assert.equal(body.name, "Helper");
  assert.deepEqual(body.tools, [{ type: "agent_toolset_20260401" }]);
  assert.equal("model" in body, false);
  const resultBytes = { Bash: "2000", Grep: "" };
  assert.deepEqual(bodyOf({ ...EMPTY_FORM, resultBytes }).tools, [
    { type: "agent_toolset_20260401", configs: [{ name: "Bash", max_result_bytes: 2_000 }] },
  ]);
  const tools = { ...EMPTY_FORM.tools };
  for (const name of Object.keys(tools) as (keyof typeof tools)[]) tools[name] = "off";
  assert.deepEqual(bodyOf({ ...EMPTY_FORM, tools }).tools, []);
});

test("Explore: off in a new agent, and what the form does not show of it stays", () => {
  const tools = { ...EMPTY_FORM.tools, Explore: "always_allow" as const };
  const [toolset] = bodyOf({ ...EMPTY_FORM, tools }).tools;
  assert.deepEqual(toolset, {
    type: "agent_toolset_20260401",
    enabled_tools: ["Bash", "Read", "Write", "Edit", "Glob", "Grep", "Explore"],
  });
  const options = { model: "acme/small", max_requests: 9, max_tokens: 20_000 };
  const config = {
    name: "Explore" as const,
    enabled: true,
    permission_policy: { type: "always_allow" as const },
  };
  const exploring: Agent = {
    ...agent,
    mcp_servers: [],
    tools: [
      {
        type: "agent_toolset_20260401",
        enabled_tools: ["Read", "Explore"],
        configs: [{ ...config, ...options }],
      },
    ],
  };
  const form = formOf(exploring, models);
  assert.deepEqual(changeOf(exploring, form, models), { version: 3 });
  const resultBytes = { Explore: "4000" };
  assert.deepEqual(changeOf(exploring, { ...form, resultBytes }, models).tools, [
    {
      type: "agent_toolset_20260401",
      enabled_tools: ["Read", "Explore"],
      configs: [{ name: "Explore", max_result_bytes: 4_000, ...options }],
    },
  ]);
  const off = bodyOf({ ...form, tools: { ...form.tools, Explore: "off" } }).tools;
  assert.deepEqual(off, [{ type: "agent_toolset_20260401", enabled_tools: ["Read"] }]);
});

test("a change has only what differs, and the version that it changes", () => {
  const form = formOf(agent, models);
  assert.deepEqual(changeOf(agent, form, models), { version: 3 });
  const metadata = form.metadata.filter(({ name }) => name !== "tier");
  assert.deepEqual(changeOf(agent, { ...form, system: "", metadata, contextWindow: "" }, models), {
    version: 3,
    model: { id: "acme/large", effort: "high" },
    system: null,
    metadata: { tier: null },
  });
});

test("a change of an older version is sent as one, so that it is refused", () => {
  const form = { ...formOf(agent, models), name: "Other" };
  const newer = { ...agent, version: 4, system: "Theirs." };
  assert.deepEqual(changeOf(newer, form, models), { version: 3, name: "Other" });
  assert.deepEqual(changeOf(newer, { ...form, version: 4 }, models), { version: 4, name: "Other" });
});

test("an identity is whole, in part, or none", () => {
  const email = { ...EMPTY_FORM, gitEmail: "a@example.com" };
  assert.deepEqual(bodyOf(email).git_identity, { email: "a@example.com" });
  const co = { ...EMPTY_FORM, coAuthorName: "Ann" };
  assert.deepEqual(bodyOf(co).git_identity, { co_authored_by: { name: "Ann", email: "" } });
});

test("faults are placed where their field is", () => {
  const form = formOf(agent, models);
  const server = form.servers[0] ?? newServer();
  const tool = form.customTools[0]?.key;
  assert.equal(placeOf("name", form), "name");
  assert.equal(placeOf("model.id", form), "model");
  assert.equal(placeOf("git_identity.email", form), "git_identity.email");
  assert.equal(placeOf("tools[0].configs[0].name", form), "tools");
  assert.equal(placeOf("tools[1].input_schema.properties.a", form), `${tool} input_schema`);
  assert.equal(placeOf("tools[1].name", form), `${tool} name`);
  assert.equal(placeOf("tools[2].configs[0].name", form), `${server.tools[0]?.key} name`);
  assert.equal(placeOf("tools[2].mcp_server_name", form), `${server.key} name`);
  assert.equal(placeOf("mcp_servers[0].url", form), `${server.key} url`);
  assert.equal(placeOf("skills[0].skill_id", form), "skill skill_a");
  assert.equal(placeOf("metadata.team", form), `metadata ${form.metadata[0]?.key}`);
});

test("what is no JSON is told at its field before the service is asked", () => {
  const form = { ...EMPTY_FORM, customTools: [{ key: "k", name: "a", description: "b", schema: "{" }] };
  assert.throws(
    () => bodyOf(form),
    (error) => error instanceof FormFault && error.place === "k input_schema",
  );
});
