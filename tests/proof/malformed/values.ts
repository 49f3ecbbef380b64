import { agentWith, type Input, PLACEHOLDER_IDS, sessionWith } from "./input.ts";

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

function wrong(path: string, make: (fields: Record<string, unknown>) => Record<string, unknown>) {
  return (field: string, ...values: unknown[]): Input[] =>
    values.map((value) => ({
      name: `${path}: ${field} = ${JSON.stringify(value)?.slice(0, 60)}`,
      path,
      body: make({ [field]: value }),
      param: field,
    }));
}

const AGENT_INPUTS = wrong("/agents", agentWith);
const SESSION_INPUTS = wrong("/sessions", sessionWith);
const ENVIRONMENT_INPUTS = wrong("/environments", (fields) => ({ name: "malformed", ...fields }));

/** Fields with a wrong type or out of range. */
export const wrongValues: Input[] = [
  ...AGENT_INPUTS("name", null, 1, true, [], {}, "", "x".repeat(257)),
  ...AGENT_INPUTS("model", null, 1, [], "", "unknown/model", "x".repeat(257)),
  ...AGENT_INPUTS("description", 1, [], "x".repeat(2_049)),
  ...AGENT_INPUTS("system", 1, {}, "x".repeat(100_001)),
  ...AGENT_INPUTS("tools", "Bash", {}, 1),
  ...AGENT_INPUTS("metadata", "x", [], 1),
  ...ENVIRONMENT_INPUTS("name", null, 7, "", "x".repeat(257)),
  ...ENVIRONMENT_INPUTS("config", "cloud", [], 1),
  ...ENVIRONMENT_INPUTS("environment_variables", "A=1", []),
  ...ENVIRONMENT_INPUTS("resources", "big", []),
  ...SESSION_INPUTS("environment_id", null, 1, "env", "agent_01h455vb4pex5vsknk084sn02q"),
  ...SESSION_INPUTS("title", 1, [], "x".repeat(501)),
  ...SESSION_INPUTS("resources", {}, "x", 1),
  ...SESSION_INPUTS("initial_events", {}, "x"),
];

const metadataOf = (metadata: unknown, param = "metadata"): Input => ({
  name: `metadata ${JSON.stringify(metadata).slice(0, 60)}`,
  path: "/agents",
  body: agentWith({ metadata }),
  param,
});

/** Faults inside a field. */
export const wrongParts: Input[] = [
  metadataOf({ a: 1 }, "metadata.a"),
  metadataOf({ a: null }, "metadata.a"),
  metadataOf({ a: "x".repeat(513) }, "metadata.a"),
  metadataOf(Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, "v"]))),
  { name: "an unknown field", path: "/agents", body: agentWith({ nmae: "a" }), param: "nmae" },
  {
    name: "an unknown tool",
    path: "/agents",
    body: agentWith({ tools: [{ type: "shell" }] }),
    param: "tools[0].type",
  },
  {
    name: "a tool that is both enabled and disallowed",
    path: "/agents",
    body: agentWith({
      tools: [{ type: "agent_toolset_20260401", enabled_tools: ["Bash"], disallowed_tools: ["Bash"] }],
    }),
    param: "tools[0].disallowed_tools",
  },
  {
    name: "an unknown tool name",
    path: "/agents",
    body: agentWith({ tools: [{ type: "agent_toolset_20260401", enabled_tools: ["bash"] }] }),
    param: "tools[0].enabled_tools[0]",
  },
  {
    name: "no events",
    path: `/sessions/${PLACEHOLDER_IDS.session}/events`,
    body: { events: [] },
    param: "events",
  },
  {
    name: "51 events",
    path: `/sessions/${PLACEHOLDER_IDS.session}/events`,
    body: { events: Array.from({ length: 51 }, () => ({ type: "user.interrupt" })) },
    param: "events",
  },
  {
    name: "an event without content",
    path: `/sessions/${PLACEHOLDER_IDS.session}/events`,
    body: { events: [{ type: "user.message" }] },
    param: "events[0].content",
  },
  {
    name: "an event type that only the service creates",
    path: `/sessions/${PLACEHOLDER_IDS.session}/events`,
    body: { events: [{ type: "agent.message", content: [] }] },
    param: "events[0].type",
  },
  {
    name: "an event text of the wrong type",
    path: `/sessions/${PLACEHOLDER_IDS.session}/events`,
    body: { events: [{ type: "user.message", content: [{ type: "text", text: 1 }] }] },
    param: "events[0].content[0].text",
  },
  {
    name: "a reserved variable",
    path: "/environments",
    body: { name: "m", environment_variables: { PATH: "/tmp" } },
    param: "environment_variables.PATH",
  },
  {
    name: "a variable with NUL",
    path: "/environments",
    body: { name: "m", environment_variables: { A: "\0" } },
    param: "environment_variables.A",
  },
  {
    name: "a URL among hosts",
    path: "/environments",
    body: {
      name: "m",
      config: { type: "cloud", networking: { type: "limited", allowed_hosts: ["http://a.example/x"] } },
    },
    param: "config.networking.allowed_hosts[0]",
  },
  {
    name: "adding a resource of another type",
    path: `/sessions/${PLACEHOLDER_IDS.session}/resources`,
    body: { type: "hosted_repository", url: "https://github.com/a/b" },
    param: "type",
  },
  {
    name: "no file_id",
    path: `/sessions/${PLACEHOLDER_IDS.session}/resources`,
    body: { type: "file" },
    param: "file_id",
  },
];

/** Deep nesting, special keys, and numbers out of range. */
export const wrongShapes: Input[] = [
  ...[64, 1_000, 100_000].map((depth) => ({
    name: `${depth} nested arrays`,
    path: "/agents",
    body: nested(depth, "[", "]"),
  })),
  ...[1_000, 100_000].map((depth) => ({
    name: `${depth} nested objects`,
    path: "/agents",
    body: `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
  })),
  { name: "__proto__", path: "/agents", body: '{"name":"a","model":"rehearsal/steps","__proto__":{"x":1}}' },
  {
    name: "constructor",
    path: "/agents",
    body: agentWith({ constructor: { prototype: {} } }),
    param: "constructor",
  },
  { name: "toString", path: "/agents", body: agentWith({ toString: "x" }), param: "toString" },
  {
    name: "__proto__ in a field",
    path: "/agents",
    body: '{"name":"a","model":{"id":"rehearsal/steps","__proto__":{}}}',
  },
  { name: "an empty key", path: "/agents", body: agentWith({ "": 1 }) },
  {
    name: "a number out of range",
    path: "/agents",
    body: '{"name":"a","model":{"id":"rehearsal/steps","context_window":1e999}}',
    param: "model.context_window",
  },
  {
    name: "a fraction",
    path: "/agents",
    body: agentWith({ model: { id: "rehearsal/steps", context_window: 1000.5 } }),
    param: "model.context_window",
  },
  {
    name: "a number as text",
    path: "/agents",
    body: agentWith({ model: { id: "rehearsal/steps", context_window: "2000" } }),
    param: "model.context_window",
  },
  {
    name: "an integer beyond double precision",
    path: "/agents",
    body: '{"name":"a","model":{"id":"rehearsal/steps","context_window":9007199254740993}}',
    param: "model.context_window",
  },
  {
    name: "a lone surrogate in a path",
    path: "/sessions",
    body: '{"agent":"<agent>","environment_id":"<environment>","resources":[{"type":"file","file_id":"<file>","mount_path":"/data/\\ud800"}]}',
    param: "resources[0].mount_path",
  },
  { name: "NUL in a title", path: "/sessions", body: sessionWith({ title: "a\0b" }), param: "title" },
  { name: "NUL in a name", path: "/agents", body: agentWith({ name: "a\0b" }), param: "name" },
  {
    name: "NUL in metadata",
    path: "/agents",
    body: agentWith({ metadata: { a: "\0" } }),
    param: "metadata.a",
  },
  {
    name: "NUL in a message",
    path: `/sessions/${PLACEHOLDER_IDS.session}/events`,
    body: { events: [{ type: "user.message", content: [{ type: "text", text: "a\0b" }] }] },
    param: "events[0].content[0].text",
  },
];
