import assert from "node:assert/strict";
import { test } from "node:test";
import { type SessionAgent, TOOL_NAMES } from "@berth/contract";
import { systemPrompt } from "../prompts/system-prompt.ts";
import { toolDefinitions, toolset } from "./toolset.ts";

type Toolset = Extract<SessionAgent["tools"][number], { type: "agent_toolset_20260401" }>;

function names(part: Partial<Toolset>): string[] {
  const tools: Toolset = { type: "agent_toolset_20260401", enabled_tools: [...TOOL_NAMES], ...part };
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

test("tool definitions: strict object schemas with their required fields", () => {
  const tools = toolset({ tools: [{ type: "agent_toolset_20260401", enabled_tools: [...TOOL_NAMES] }] });
  const definitions = toolDefinitions(tools);
  for (const { name, description, inputSchema } of definitions) {
    assert.equal(inputSchema.type, "object", name);
    assert.equal(inputSchema.additionalProperties, false, name);
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

test("system prompt: the agent's prompt, how the sandbox works, the workspace", () => {
  const prompt = systemPrompt({
    system: "Be kind.\n",
    workspaceDescription: "/data/app: a clone",
    tools: ["Bash"],
  });
  assert.match(prompt, /^Be kind\.\n\n# Where you work\n[\s\S]*\n\n\/data\/app: a clone$/);
  assert.equal(systemPrompt({ system: "", workspaceDescription: "", tools: [] }), "");
});
