import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent } from "@berth/sdk";
import { changesBetween, textsOf } from "./version-changes.ts";

const agent = {
  name: "A",
  description: null,
  model: { id: "acme/large", effective_context_window: 1_000 },
  system: "One\nTwo\n",
  tools: [],
  mcp_servers: [],
  skills: [],
  version: 1,
  metadata: {},
  updated_at: "2026-01-01T00:00:00.000Z",
} as unknown as Agent;

test("only what somebody set is named as changed", () => {
  const after = { ...agent, version: 2, updated_at: "2026-01-02T00:00:00.000Z" };
  assert.deepEqual(changesBetween(agent, after), []);
  assert.deepEqual(changesBetween(agent, { ...after, system: "", metadata: { a: "1" } }), [
    "System prompt",
    "Metadata",
  ]);
});

test("the system prompt is a text of its own, with its lines", () => {
  const { settings, system } = textsOf(agent);
  assert.equal(system, "One\nTwo\n");
  assert.equal(settings.includes("One"), false);
  assert.equal(settings.includes('"acme/large"'), true);
});
