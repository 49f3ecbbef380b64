// Subject: conventions/validation.ts, over the schemas of every route.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { z } from "zod";
import { firstValidationError, type ValidationError, validationMessage } from "../conventions/validation.ts";
import type { AnyRoute } from "../operations/route.ts";
import { routes } from "./routes.ts";

function faultOf(schema: z.ZodType, input: unknown): ValidationError | null {
  const result = schema.safeParse(input, { error: validationMessage });
  return result.success ? null : firstValidationError(result.error.issues, input);
}

const { create: createAgent, list: listAgents } = routes.agents;
const { create: createSession } = routes.sessions;
const { add } = routes.sessionResources;
const agentId = "agent_01h00000000000000000000000";
const environmentId = "env_01h00000000000000000000000";

function message(schema: z.ZodType, input: unknown): string | undefined {
  return faultOf(schema, input)?.message;
}

describe("validation errors", () => {
  test("a document with 50,000 errors takes about as long as its parse", () => {
    const pairs = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`key ${n}`, 1]));
    for (const input of [
      { ...pairs, name: "a", model: "x/y" },
      { name: "a", model: "x/y", metadata: pairs },
      { name: "a", model: "x/y", tools: Array(50_000).fill({ type: "x" }) },
    ]) {
      const before = process.threadCpuUsage();
      assert.notEqual(faultOf(createAgent.body, input), null);
      const took = process.threadCpuUsage(before).user / 1_000;
      assert.ok(took < 3_000, `${took.toFixed()} ms`);
    }
  });

  test("have the messages that the API documents", () => {
    const add_ = add.body;
    assert.equal(message(add_, { type: "file" }), "Field 'file_id' is required.");
    assert.equal(message(add_, { type: "vault", url: "x" }), "Field 'type' must be 'file'.");
    assert.equal(message(add_, { url: "x", type: "vault" }), "Field 'type' must be 'file'.");
    assert.equal(message(add_, {}), "Field 'type' is required.");
    assert.equal(message(add_, []), "The body must be an object.");
    assert.equal(message(add_, undefined), "The body is required.");
    const create = createAgent.body;
    const given = { name: "a", model: "x/y" };
    assert.equal(message(create, { ...given, name: 5 }), "Field 'name' must be a string.");
    assert.equal(message(create, { ...given, name: "" }), "Field 'name' must not be empty.");
    assert.equal(
      message(create, { ...given, name: "x".repeat(257) }),
      "Field 'name' must be at most 256 characters long.",
    );
    assert.equal(message(create, { ...given, nmae: 1 }), "Unknown field 'nmae'.");
    assert.equal(message(create, { ...given, model: 5 }), "Field 'model' must be a string or an object.");
    assert.equal(
      message(create, { ...given, model: { id: "x", context_window: "5" } }),
      "Field 'model.context_window' must be an integer.",
    );
    assert.equal(
      message(create, { ...given, tools: [{ type: "agent_toolset_20260401", enabled_tools: ["bash"] }] }),
      "Field 'tools[0].enabled_tools[0]' must be one of 'Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep', 'Explore'.",
    );
    assert.equal(
      message(create, { ...given, tools: [{ type: "mcp_toolset" }] }),
      "Field 'tools[0].mcp_server_name' is required.",
    );
    assert.equal(
      message(create, { ...given, tools: [{ type: "x" }] }),
      "Field 'tools[0].type' must be one of 'agent_toolset_20260401', 'custom', 'mcp_toolset'.",
    );
    assert.equal(
      message(createSession.body, { agent: { id: agentId }, environment_id: environmentId }),
      "Field 'agent.type' is required.",
    );
    assert.equal(
      message(createSession.body, { agent: agentId, environment_id: environmentId, resources: ["x"] }),
      "Field 'resources[0]' must be an object.",
    );
    assert.equal(message(listAgents.query, { limit: "0" }), "Field 'limit' must be a positive integer.");
    assert.equal(message(listAgents.query, { limit: "101" }), "limit exceeds maximum of 100");
  });

  test("are in document order; a missing field comes last in its object", () => {
    assert.equal(faultOf(createAgent.body, { model: 5, name: 5 })?.param, "model");
    assert.equal(faultOf(createAgent.body, { nmae: "a", model: "x/y" })?.param, "nmae");
    const resources = [{ type: "hosted_repository" }, { type: "file", file_id: 5 }];
    const body = { resources, agent: 5, environment_id: environmentId };
    assert.equal(faultOf(createSession.body, body)?.param, "resources[0].url");
    assert.equal(faultOf(routes.sessions.list.query, { "statuses[]": ["asleep"] })?.param, "statuses[0]");
  });

  for (const route of Object.values(routes).flatMap((noun) => Object.values(noun)) as AnyRoute[]) {
    test(`${route.operation.id}: for any input, the error names a field of the schema or of the input`, () => {
      const names = fieldNames(route.body);
      fc.assert(
        fc.property(bodies(names), (input) => {
          const fault = faultOf(route.body, input);
          if (fault === null) return;
          assert.ok(fault.message.length > 0 && !fault.message.includes("{field}"), fault.message);
          const text = JSON.stringify(input) ?? "";
          for (const step of fault.param?.split(/[.[\]]+/).filter(Boolean) ?? []) {
            assert.ok(/^\d+$/.test(step) || names.includes(step) || text.includes(step), fault.param ?? "");
          }
        }),
        { numRuns: 300 },
      );
    });
  }
});

/** Generates objects with the schema's field names and arbitrary JSON, with errors at every depth. */
function bodies(names: string[]): fc.Arbitrary<unknown> {
  const key = fc.oneof(fc.constantFrom(...names, "x"), fc.stringMatching(/^[a-z_]{1,8}$/));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(
        "file",
        "hosted_repository",
        "agent",
        "cloud",
        "user.message",
        "text",
        null,
        1.5,
        true,
        "",
      ),
      fc.string(),
      fc.array(tie("value"), { maxLength: 3 }),
      { weight: 6, arbitrary: fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }) },
    ),
  }));
  return value;
}

function fieldNames(schema: z.ZodType): string[] {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null || seen.has(node)) return;
    seen.add(node);
    const { def, shape } = node as { def?: object; shape?: object };
    for (const name of Object.keys(shape ?? {})) names.add(name);
    for (const part of [...Object.values(def ?? {}), ...Object.values(shape ?? {})]) {
      if (Array.isArray(part)) part.forEach(visit);
      else visit(part);
    }
  };
  visit(schema);
  return [...names];
}
