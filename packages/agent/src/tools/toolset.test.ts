import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_TOOL_NAMES, type SessionAgent, TOOL_NAMES } from "@berth/contract";
import { systemPrompt } from "../prompts/system-prompt.ts";
import { searchTools, toolDefinitions, toolset } from "./toolset.ts";

type Toolset = Extract<SessionAgent["tools"][number], { type: "agent_toolset_20260401" }>;

function names(part: Partial<Toolset>): string[] {
  const tools: Toolset = { type: "agent_toolset_20260401", enabled_tools: [...DEFAULT_TOOL_NAMES], ...part };
  return toolset({ tools: [tools] }).map((tool) => tool.name);
}

const allow = { type: "always_allow" as const };
const deny = { type: "always_deny" as const };

test("toolset: the enabled tools, without those that a config disables", () => {
  assert.deepEqual(names({}), ["Bash", "Read", "Write", "Edit", "Glob", "Grep"]);
  assert.deepEqual(names({ enabled_tools: ["Read", "Grep"] }), ["Read", "Grep"]);
  const off = { name: "Bash" as const, enabled: false, permission_policy: allow };
  assert.ok(!names({ configs: [off] }).includes("Bash"));
  const denied = { name: "Bash" as const, enabled: true, permission_policy: deny };
  assert.ok(
    names({ configs: [denied] }).includes("Bash"),
    "a denied tool is visible, and its calls are denied",
  );
  assert.deepEqual(toolset({ tools: [] }), []);
});

test("Explore: last, and nothing of the other definitions changes with it", () => {
  const six: Toolset = { type: "agent_toolset_20260401", enabled_tools: [...DEFAULT_TOOL_NAMES] };
  const seven: Toolset = { ...six, enabled_tools: [...TOOL_NAMES] };
  const without = toolDefinitions(toolset({ tools: [six] }));
  const all = toolDefinitions(toolset({ tools: [seven] }));
  assert.equal(JSON.stringify(all.slice(0, 6)), JSON.stringify(without));
  assert.deepEqual(
    all.slice(6).map(({ name, inputSchema }) => [name, inputSchema.required]),
    [["Explore", ["question"]]],
  );
});

test("what Explore searches with: of Read, Glob and Grep those enabled and allowed without a question", () => {
  const ask = { type: "always_ask" as const };
  const found = (part: Partial<Toolset>) =>
    searchTools({
      tools: [{ type: "agent_toolset_20260401", enabled_tools: [...TOOL_NAMES], ...part }],
    }).map(({ name }) => name);
  assert.deepEqual(found({}), ["Read", "Glob", "Grep"]);
  assert.deepEqual(found({ enabled_tools: ["Bash", "Grep", "Explore"] }), ["Grep"]);
  assert.deepEqual(found({ enabled_tools: ["Bash", "Write", "Explore"] }), []);
  const denied = { name: "Read" as const, enabled: true, permission_policy: deny };
  const asked = { name: "Glob" as const, enabled: true, permission_policy: ask };
  assert.deepEqual(found({ configs: [denied, asked] }), ["Grep"]);
  assert.deepEqual(found({ configs: [{ name: "Grep", enabled: false, permission_policy: allow }] }), [
    "Read",
    "Glob",
  ]);
});

test("tool definitions: object schemas with their required fields", () => {
  const tools = toolset({
    tools: [{ type: "agent_toolset_20260401", enabled_tools: [...DEFAULT_TOOL_NAMES] }],
  });
  const definitions = toolDefinitions(tools);
  for (const { name, description, inputSchema } of definitions) {
    assert.equal(inputSchema.type, "object", name);
    assert.ok(description.length > 40, name);
  }
  const required = definitions.map(({ name, inputSchema }) => [name, inputSchema.required ?? []]);
  assert.deepEqual(Object.fromEntries(required), {
    Bash: [],
    Read: ["file_path"],
    Write: ["file_path", "content"],
    Edit: ["file_path", "old_string", "new_string"],
    Glob: ["pattern"],
    Grep: ["pattern"],
  });
  assert.equal(JSON.stringify(toolDefinitions(tools)), JSON.stringify(definitions));
});

/**
 * Keywords that every provider accepts in the schema of a tool. Gemini rejects a whole request for
 * `prefixItems` or `items: false`.
 */
const ACCEPTED: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => typeof value === "string",
  description: (value) => typeof value === "string",
  properties: isObject,
  required: Array.isArray,
  items: isObject,
  enum: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  minimum: isSmall,
  maximum: isSmall,
  minItems: isSmall,
  maxItems: isSmall,
  minLength: isSmall,
  pattern: (value) => typeof value === "string" && /^\^.*\$$/.test(value),
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSmall(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) <= 1_000_000;
}

function unaccepted(schema: unknown, path: string): string[] {
  if (!isObject(schema) || schema.type === undefined) return [`${path} has no type`];
  const own = Object.entries(schema).flatMap(([keyword, value]) =>
    ACCEPTED[keyword]?.(value) === true ? [] : [`${path}.${keyword}: ${JSON.stringify(value)}`],
  );
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  return [
    ...own,
    ...properties.flatMap(([name, inner]) => unaccepted(inner, `${path}.${name}`)),
    ...(schema.type === "array" ? unaccepted(schema.items, `${path}[]`) : []),
  ];
}

test("tool definitions: only keywords that all providers take", () => {
  const tools = toolset({
    tools: [{ type: "agent_toolset_20260401", enabled_tools: [...TOOL_NAMES] }],
  });
  for (const { name, inputSchema } of toolDefinitions(tools))
    assert.deepEqual(unaccepted(inputSchema, name), []);
  const tuple = { type: "array", prefixItems: [{ type: "integer" }], items: false };
  assert.deepEqual(unaccepted(tuple, "x"), [
    'x.prefixItems: [{"type":"integer"}]',
    "x.items: false",
    "x[] has no type",
  ]);
  const others = { type: "string", maxLength: 4096, format: "uri", oneOf: [], exclusiveMinimum: 0 };
  assert.equal(unaccepted(others, "x").length, 4);
});

test("system prompt: the agent's prompt, how the sandbox works, the workspace", () => {
  const prompt = systemPrompt({
    system: "Be kind.\n",
    workspaceDescription: "/data/app: a clone",
    tools: ["Bash"],
  });
  assert.match(prompt, /^Be kind\.\n\n# Where you work\n[\s\S]*\n\n\/data\/app: a clone$/);
  assert.equal(systemPrompt({ system: "", workspaceDescription: "", tools: [] }), "");
});
