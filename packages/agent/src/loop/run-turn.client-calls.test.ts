import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionAgent, StopReason } from "@berth/contract";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testAgent, testTool, testTurn } from "../../test-support/turn.ts";
import { isToolUse } from "../history/call-events.ts";
import * as notes from "../prompts/notes.ts";
import { looseSchema } from "../tools/custom-tools.ts";
import { type Tool, textResult } from "../tools/tool.ts";
import { runTurn } from "./run-turn.ts";

const agent: SessionAgent = {
  ...testAgent,
  tools: [
    {
      type: "custom",
      name: "lookup",
      description: "Looks something up.",
      input_schema: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
    },
  ],
};

/** Creates a tool whose calls need a confirmation, and records the inputs that it ran with. */
function asking(name = "Echo"): Tool & { ran: string[] } {
  const ran: string[] = [];
  const tool = testTool(name, (text) => {
    ran.push(text);
    return textResult(text.toUpperCase());
  });
  return { ...tool, permission: "always_ask", ran };
}

function started(): MemoryLog {
  const log = new MemoryLog();
  log.message("go");
  return log;
}

function calls(log: MemoryLog): string[] {
  return log.events.filter(isToolUse).map(({ id }) => id);
}

function waitsFor(...event_ids: (string | undefined)[]): StopReason {
  return { type: "requires_action", event_ids: event_ids.map((id) => id ?? "") };
}

function confirm(
  log: MemoryLog,
  id: string | undefined,
  result: "allow" | "deny",
  deny_message?: string,
): void {
  log.send({
    type: "user.tool_confirmation",
    tool_use_id: id ?? "",
    result,
    ...(deny_message === undefined ? {} : { deny_message }),
  });
}

function toolTexts(log: MemoryLog): string[] {
  return log.events.flatMap((event) =>
    event.type === "agent.tool_result" || event.type === "agent.mcp_tool_result"
      ? event.content.map((block) => (block.type === "text" ? block.text : "image"))
      : [],
  );
}

test("client calls: results reach the model in call order, whoever gives them and when", async () => {
  const log = started();
  const ask = asking();
  const free = testTool("Free");
  const answer = {
    blocks: [
      toolCall("Echo", { text: "a" }),
      toolCall("lookup", { key: "k" }),
      toolCall("Free", { text: "free" }),
      toolCall("Echo", { text: "b" }),
    ],
  };
  const model = scriptedModel([answer, says("done")]);
  const turn = () => runTurn(testTurn({ log, model, agent, tools: [ask, free] }));
  const first = await turn();
  const [a, lookup, , b] = calls(log);
  assert.deepEqual(first, waitsFor(a, lookup, b));
  assert.deepEqual(toolTexts(log), ["free"], "what needs nobody has run");
  assert.deepEqual(await turn(), waitsFor(a, lookup, b), "nothing has come, nothing is done");
  confirm(log, b, "allow");
  assert.deepEqual(await turn(), waitsFor(a, lookup));
  log.message("meanwhile");
  confirm(log, a, "deny", "not that");
  assert.deepEqual(await turn(), waitsFor(lookup));
  assert.equal(model.requests.length, 1, "the model is not asked before every call has its result");
  const content = [{ type: "text" as const, text: "value" }];
  log.send({ type: "user.custom_tool_result", custom_tool_use_id: lookup ?? "", content, is_error: false });
  assert.deepEqual(await turn(), { type: "end_turn" });
  assert.deepEqual(ask.ran, ["b"]);
  const tools = model.requests[1]?.messages.find(({ role }) => role === "tool");
  assert.deepEqual(
    tools?.content.map((block) => ("content" in block ? block.content : [])),
    [notes.deniedByUser("not that"), "value", "free", "B"].map((text) => [{ type: "text", text }]),
  );
  assert.equal(model.requests[1]?.messages.at(-1)?.role, "user", "the message comes behind the results");
  assert.ok(log.events.every((event) => event.processed_at !== null));
});

test("client result: truncated to the window for the model, always to the same bytes, and whole in the log", async () => {
  const log = started();
  const small = { ...agent, model: { ...agent.model, effective_context_window: 20_000 } };
  const model = scriptedModel([{ blocks: [toolCall("lookup", { key: "k" })] }, says("done"), says("again")]);
  const turn = () => runTurn(testTurn({ log, model, agent: small }));
  await turn();
  const texts = ["begins", "x".repeat(1_000_000), "y".repeat(500_000)];
  const content = texts.map((text) => ({ type: "text" as const, text }));
  const [id = ""] = calls(log);
  log.send({ type: "user.custom_tool_result", custom_tool_use_id: id, content, is_error: false });
  assert.deepEqual(await turn(), { type: "end_turn" });
  log.message("more");
  await turn();
  const [second, third] = model.requests.slice(1).map(({ messages }) => messages);
  assert.deepEqual(third?.slice(0, second?.length), second);
  const told = JSON.stringify(second);
  assert.ok(told.length < 22_000, `${told.length} characters`);
  assert.match(told, /begins.*x{9000,}.*characters left out.*x{9000,}.*500000 characters left out/);
  const kept = log.events.find(({ type }) => type === "user.custom_tool_result");
  assert.deepEqual(kept?.type === "user.custom_tool_result" && kept.content, content);
});

test("confirmation: a call that is allowed while another runs is run in the same turn", async () => {
  const log = started();
  const ask = asking();
  const slow: Tool = {
    ...testTool("Slow", (text) => {
      confirm(log, calls(log)[1], "allow");
      return textResult(text);
    }),
  };
  const blocks = [toolCall("Slow", { text: "x" }), toolCall("Echo", { text: "y" })];
  const model = scriptedModel([{ blocks }, says("done")]);
  assert.deepEqual(await runTurn(testTurn({ log, model, tools: [slow, ask] })), { type: "end_turn" });
  assert.deepEqual(ask.ran, ["y"]);
});

test("interrupt: cancels calls that have not started, including those already allowed", async () => {
  const log = started();
  const ask = asking();
  const blocks = [
    toolCall("Echo", { text: "a" }),
    toolCall("Echo", { text: "b" }),
    toolCall("lookup", { key: "k" }),
  ];
  const model = scriptedModel([{ blocks }, says("again")]);
  const turn = (signal = new AbortController().signal) =>
    runTurn(testTurn({ log, model, agent, tools: [ask], signal }));
  await turn();
  confirm(log, calls(log)[0], "allow");
  log.send({ type: "user.interrupt" });
  assert.deepEqual(await turn(AbortSignal.abort()), { type: "cancelled" });
  assert.deepEqual(ask.ran, []);
  assert.deepEqual(toolTexts(log), Array(3).fill(notes.CANCELLED_CALL));
  log.message("next");
  assert.deepEqual(await turn(), { type: "end_turn" });
  assert.deepEqual(ask.ran, [], "its confirmation is of no use any more");
});

test("abort: ends waiting and running calls", async () => {
  const log = started();
  const stop = new AbortController();
  const slow = testTool("Slow", () => {
    stop.abort();
    return textResult("ran");
  });
  const blocks = [toolCall("Slow", { text: "x" }), toolCall("Echo", { text: "y" })];
  const model = scriptedModel([{ blocks }]);
  const turn = testTurn({ log, model, tools: [slow, asking()], signal: stop.signal });
  assert.deepEqual(await runTurn(turn), { type: "cancelled" });
  assert.equal(toolTexts(log).at(-1), notes.CANCELLED_CALL);
  assert.equal(toolTexts(log).length, 2);
});

test("abort: what a client answered before it stays the result of its call", async () => {
  const log = started();
  const stop = new AbortController();
  const slow = testTool("Slow", () => {
    const [id = ""] = calls(log);
    const content = [{ type: "text" as const, text: "found" }];
    log.send({ type: "user.custom_tool_result", custom_tool_use_id: id, content, is_error: false });
    stop.abort();
    return textResult("ran");
  });
  const blocks = [toolCall("lookup", { key: "a" }), toolCall("Slow", { text: "x" })];
  const model = scriptedModel([{ blocks }]);
  const turn = testTurn({ agent, log, model, tools: [slow], signal: stop.signal });
  assert.deepEqual(await runTurn(turn), { type: "cancelled" });
  assert.deepEqual(toolTexts(log), ["ran"]);
  assert.notEqual(log.events.find(({ type }) => type === "user.custom_tool_result")?.processed_at, null);
});

test("abort while it looks for replies: the call that waits for one ends", async () => {
  const log = started();
  const stop = new AbortController();
  const take = log.takeClientReplies.bind(log);
  log.takeClientReplies = async () => {
    stop.abort();
    return await take();
  };
  const model = scriptedModel([{ blocks: [toolCall("Echo", { text: "y" })] }]);
  const turn = testTurn({ log, model, tools: [asking()], signal: stop.signal });
  assert.deepEqual(await runTurn(turn), { type: "cancelled" });
  assert.deepEqual(toolTexts(log), [notes.CANCELLED_CALL]);
});

test("MCP tool: calls have their own event types, and the model keeps the tool's full name", async () => {
  const log = started();
  const tool: Tool = { ...asking("mcp__echoes__echo"), mcp: { server: "echoes", name: "echo" } };
  const model = scriptedModel([
    { blocks: [toolCall("mcp__echoes__echo", { text: "hi" }), toolCall("mcp__echoes__echo", {})] },
    says("done"),
  ]);
  const turn = () => runTurn(testTurn({ log, model, tools: [tool] }));
  await turn();
  const [use] = log.events.filter(isToolUse);
  assert.deepEqual(
    log.events
      .filter(isToolUse)
      .map((event) => event.type === "agent.mcp_tool_use" && event.evaluated_permission),
    ["ask", "deny"],
  );
  assert.deepEqual(use?.type === "agent.mcp_tool_use" && [use.mcp_server_name, use.name], ["echoes", "echo"]);
  confirm(log, use?.id, "allow");
  assert.deepEqual(await turn(), { type: "end_turn" });
  assert.deepEqual(
    log.types.filter((type) => type === "agent.tool_result"),
    [],
  );
  assert.equal(log.types.filter((type) => type === "agent.mcp_tool_result").length, 2);
  const told = model.requests[1]?.messages.find(({ role }) => role === "tool")?.content ?? [];
  assert.deepEqual(
    told.map((block) => "name" in block && block.name),
    ["mcp__echoes__echo", "mcp__echoes__echo"],
  );
});

const ofA = (a: object) => ({ type: "object" as const, properties: { a } });
const KEYWORDS: Record<string, [schema: Parameters<typeof looseSchema>[0], fits: object, unfit: object]> = {
  type: [ofA({ type: ["string", "null"] }), { a: null }, { a: 1 }],
  properties: [ofA({ type: "integer" }), { a: 1 }, { a: 1.5 }],
  required: [{ ...ofA({ type: "string" }), required: ["a"] }, { a: "x" }, {}],
  "required alone": [{ type: "object", required: ["a"] }, { a: null }, { b: 1 }],
  "required of a name without a schema": [{ ...ofA({}), required: ["b"] }, { b: [] }, { a: 1 }],
  additionalProperties: [{ ...ofA({}), additionalProperties: false }, { a: 1 }, { b: 1 }],
  "additionalProperties alone": [{ type: "object", additionalProperties: false }, {}, { a: 1 }],
  enum: [ofA({ enum: ["x", 1, null] }), { a: 1 }, { a: 2 }],
  "enum of a type": [ofA({ type: "string", enum: ["x"] }), { a: "x" }, { a: "y" }],
  const: [ofA({ const: "x" }), { a: "x" }, { a: "y" }],
  minimum: [ofA({ type: "number", minimum: 1 }), { a: 1 }, { a: 0.9 }],
  maximum: [ofA({ type: "integer", maximum: 1 }), { a: 1 }, { a: 2 }],
  exclusiveMinimum: [ofA({ type: "number", exclusiveMinimum: 1 }), { a: 1.1 }, { a: 1 }],
  exclusiveMaximum: [ofA({ type: "number", exclusiveMaximum: 1 }), { a: 0 }, { a: 1 }],
  minLength: [ofA({ type: "string", minLength: 2 }), { a: "xx" }, { a: "x" }],
  maxLength: [ofA({ type: "string", maxLength: 2 }), { a: "xx" }, { a: "xxx" }],
  items: [ofA({ type: "array", items: { type: "string" } }), { a: ["1"] }, { a: [1] }],
  minItems: [ofA({ type: "array", minItems: 1 }), { a: [1] }, { a: [] }],
  maxItems: [ofA({ type: "array", items: {}, maxItems: 1 }), { a: [1] }, { a: [1, 2] }],
  anyOf: [ofA({ anyOf: [{ type: "string" }, { type: "null" }] }), { a: null }, { a: 1 }],
};
for (const [keyword, [schema, fits, unfit]] of Object.entries(KEYWORDS)) {
  test(`custom tool: ${keyword} of a schema → a call that does not fit is refused`, () => {
    assert.ok(looseSchema(schema).safeParse(fits).success);
    assert.ok(!looseSchema(schema).safeParse(unfit).success);
  });
}

test("custom tool: fields whose names every object has → may be left out, and must be there where they are required", () => {
  const properties = { valueOf: { type: "string" }, constructor: { type: "number" } };
  const optional = looseSchema({ type: "object", properties, additionalProperties: false });
  for (const input of [{}, { valueOf: "x" }, { constructor: 1 }])
    assert.ok(optional.safeParse(input).success);
  assert.ok(!optional.safeParse({ toString: 1 }).success);
  const required = looseSchema({ type: "object", properties, required: ["valueOf"] });
  assert.ok(required.safeParse({ valueOf: "x" }).success);
  for (const input of [{}, { valueOf: 1 }]) assert.ok(!required.safeParse(input).success);
});

test("custom tool: a schema's costly keywords are ignored, the others are checked", () => {
  const schema = looseSchema({
    type: "object",
    properties: {
      slow: { type: "string", pattern: "^(a+)+$" },
      kind: { enum: ["x", "y"] },
      deep: { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] },
      any: { $ref: "#/$defs/any" },
    },
    additionalProperties: false,
  });
  const before = process.threadCpuUsage();
  assert.ok(schema.safeParse({ slow: `${"a".repeat(50)}!` }).success);
  assert.ok(process.threadCpuUsage(before).user < 1_000_000);
  assert.ok(schema.safeParse({ kind: "x", deep: { n: 2 }, any: 5 }).success);
  for (const unfit of [{ kind: "z" }, { deep: { n: 0 } }, { deep: {} }, { more: 1 }, { slow: 1 }, "text"])
    assert.ok(!schema.safeParse(unfit).success, JSON.stringify(unfit));
});
