import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomTool, SessionAgent } from "@berth/contract";
import fc from "fast-check";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { schemaProblems, toolSchema } from "../../test-support/tool-schemas.ts";
import { testAgent, testTurn } from "../../test-support/turn.ts";
import { isToolUse } from "../history/call-events.ts";
import type { AssistantBlock } from "../models/model.ts";
import { normalizeToolSchema } from "../tool-schemas/normalize-schema.ts";
import { runTurn } from "./run-turn.ts";

function agentWith(input_schema: CustomTool["input_schema"]): SessionAgent {
  return {
    ...testAgent,
    tools: [{ type: "custom", name: "lookup", description: "Looks something up.", input_schema }],
  };
}

/**
 * Runs a turn in which the model calls the tool with each input, the client answers each call that it gets,
 * and the model is asked again.
 */
async function called(agent: SessionAgent, inputs: Record<string, unknown>[]) {
  const log = new MemoryLog();
  log.message("go");
  const given = inputs.map((input) => toolCall("lookup", input));
  const model = scriptedModel([{ blocks: given }, says("done")]);
  const turn = () => runTurn(testTurn({ log, model, agent }));
  await turn();
  const uses = log.events.filter(isToolUse);
  for (const { type, id } of uses) {
    if (type !== "agent.custom_tool_use") continue;
    log.send({ type: "user.custom_tool_result", custom_tool_use_id: id, content: [], is_error: false });
  }
  assert.deepEqual(await turn(), { type: "end_turn" });
  const [first, second] = model.requests;
  assert.deepEqual(second?.tools, first?.tools);
  const answer = second?.messages.find(({ role }) => role === "assistant");
  const [tool] = first?.tools ?? [];
  assert.ok(tool !== undefined);
  return { tool, uses, given, history: answer?.content as AssistantBlock[], request: second };
}

test("custom tool of any schema: providers take it, the client gets its own names, the model sees what it gave", async () => {
  await fc.assert(
    fc.asyncProperty(toolSchema, async ({ schema, input }) => {
      const normalized = normalizeToolSchema(schema);
      assert.ok("originals" in normalized);
      const names = new Map(Object.entries(normalized.originals).map(([name, original]) => [original, name]));
      const ofModel = input((name) => names.get(name) ?? name);
      const agent = agentWith(schema);
      const { tool, uses, given, history } = await called(agent, [ofModel]);
      assert.deepEqual(schemaProblems(tool.inputSchema), []);
      assert.deepEqual(
        uses.map((use) => use.input),
        [input((name) => name)],
      );
      assert.deepEqual(history, given, "the history is what the model said");
      assert.deepEqual(agent.tools[0], { ...agent.tools[0], input_schema: schema }, "the agent is as it was");
    }),
    { numRuns: 60 },
  );
});

test("input that does not fit: the model reads its own names, the client sees its own, and is not asked", async () => {
  const filter = { type: "object", properties: { "max $": { type: "integer" } }, required: ["max $"] };
  const agent = agentWith({ type: "object", properties: { $filter: filter }, required: ["$filter"] });
  const { uses, request, history, given } = await called(agent, [
    { _filter: { max__: "many" } },
    { $filter: {} },
  ]);
  assert.deepEqual(
    uses.map(({ type, input }) => [type, input]),
    [
      ["agent.tool_use", { $filter: { "max $": "many" } }],
      ["agent.tool_use", { $filter: {} }],
    ],
  );
  const results = JSON.stringify(request?.messages.find(({ role }) => role === "tool")?.content);
  assert.match(results, /at _filter\.max__/);
  assert.doesNotMatch(results, /at \$filter/);
  assert.deepEqual(history, given);
});

test("schema that no object can have: the tool stays, and its description says the schema", async () => {
  for (const more of [{ allOf: [{ type: "array" }] }, { $ref: "#" }, { anyOf: [{ type: "string" }] }]) {
    const { tool, uses } = await called(agentWith({ type: "object", ...more }), [{ a: 1 }]);
    assert.deepEqual(tool.inputSchema, { type: "object", properties: {} });
    assert.ok(tool.description.startsWith("Looks something up.\n\n"), tool.description);
    assert.ok(tool.description.includes(JSON.stringify(more).slice(1)), tool.description);
    assert.deepEqual(uses[0]?.input, { a: 1 });
  }
});

test("schema that providers take: the same bytes", async () => {
  const schema = { type: "object" as const, properties: { key: { type: "string" } }, required: ["key"] };
  const { tool } = await called(agentWith(schema), [{ key: "k" }]);
  assert.equal(JSON.stringify(tool.inputSchema), JSON.stringify(schema));
  assert.equal(tool.description, "Looks something up.");
});
