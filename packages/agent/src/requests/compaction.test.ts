import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testAgent, testTool, testTurn } from "../../test-support/turn.ts";
import { assertValidMessages } from "../../test-support/valid-messages.ts";
import { foldHistory } from "../history/fold-history.ts";
import { textOf } from "../history/message-blocks.ts";
import { shrinkMessages } from "../history/shrink-messages.ts";
import { runTurn } from "../loop/run-turn.ts";
import { estimatePrefixTokens, estimateTokens } from "../models/estimate-tokens.ts";
import { type Model, ModelError, type ModelMessage, type ModelRequest } from "../models/model.ts";
import { createRehearsalModel } from "../models/rehearsal/rehearsal-model.ts";
import * as notes from "../prompts/notes.ts";
import { type Tool, type ToolContext, textResult } from "../tools/tool.ts";

/** Rejects, like a provider, requests without room for a response, and calls without their results. */
function strict(model: Model, requests: ModelRequest[]): Model {
  return {
    ...model,
    async *stream(request, signal) {
      requests.push(structuredClone(request));
      const tokens = estimatePrefixTokens(request) + estimateTokens(request.messages);
      assert.ok(
        tokens + model.maxOutputTokens <= model.contextWindow,
        `${tokens} tokens in request ${requests.length}`,
      );
      assertValidMessages(request.messages);
      yield* model.stream(request, signal);
    },
  };
}

function compactions(log: MemoryLog): number {
  return log.types.filter((type) => type === "agent.context_compacted").length;
}

function isSummaryRequest(request: ModelRequest): boolean {
  const last = request.messages.at(-1);
  return last?.role === "user" && textOf(last.content.slice(-1)) === notes.SUMMARY_INSTRUCTION;
}

test("compaction: a rehearsal in a window of 2,000 tokens is compacted several times and does each step once", async () => {
  const log = new MemoryLog();
  const runs: string[] = [];
  const tool = testTool("Echo", (text) => {
    runs.push(text);
    return textResult(`${text}: ${"result ".repeat(230)}`);
  });
  const echo = (text: string) => ({ tool: "Echo", input: { text } });
  const steps = [
    ...Array.from({ length: 6 }, (_, index) => echo(`step ${index}`)),
    { tools: [echo("left"), echo("right")], expect: "step 5: result" },
    ...Array.from({ length: 6 }, (_, index) => ({
      ...echo(`late ${index}`),
      ...(index > 0 ? { expect: `late ${index - 1}` } : {}),
    })),
    { fail: "overloaded", times: 2 },
    { say: "done" },
  ];
  log.message(JSON.stringify({ steps }));
  const requests: ModelRequest[] = [];
  const model = strict(createRehearsalModel({ contextWindow: 2_000 }), requests);
  assert.deepEqual(await runTurn(testTurn({ log, model, tools: [tool] })), { type: "end_turn" });
  const late = Array.from({ length: 6 }, (_, index) => `late ${index}`);
  const early = Array.from({ length: 6 }, (_, index) => `step ${index}`);
  assert.deepEqual(runs, [...early, "left", "right", ...late]);
  assert.ok(compactions(log) >= 3, `${compactions(log)} compactions`);
  const last = log.events.findLast((event) => event.type === "agent.message");
  assert.deepEqual(last?.content, [{ type: "text", text: "done" }]);
  log.message(JSON.stringify({ steps: [{ say: "again" }] }));
  await runTurn(testTurn({ log, model, tools: [tool] }));
  const again = log.events.findLast((event) => event.type === "agent.message");
  assert.deepEqual(again?.content, [{ type: "text", text: "again" }]);
});

test("compaction: keeps the summary, the newest results and the newest message verbatim, and logs the tokens before and after", async () => {
  const log = new MemoryLog();
  log.message("first task");
  const model = scriptedModel(
    (request) => {
      if (isSummaryRequest(request)) return says("the summary");
      const compacted = JSON.stringify(request.messages).includes("the summary");
      return compacted ? says("done") : { blocks: [toolCall("Echo", { text: "x" })] };
    },
    { contextWindow: 4_000, maxOutputTokens: 500 },
  );
  const tool = testTool("Echo", () => textResult("y".repeat(3_900)));
  const requests: ModelRequest[] = [];
  await runTurn(testTurn({ log, model: strict(model, requests), tools: [tool] }));
  const event = log.events.find((candidate) => candidate.type === "agent.context_compacted");
  assert.ok(event !== undefined && event.input_tokens_before > 3_500 && event.input_tokens_after < 2_000);
  const after = requests[requests.findIndex(isSummaryRequest) + 1];
  assert.deepEqual(after?.messages, [
    {
      role: "user",
      content: [
        { type: "text", text: notes.summaryOf("the summary") },
        { type: "text", text: notes.newestResults(`Echo {"text":"x"}\n${"y".repeat(3_900)}`) },
        { type: "text", text: "first task" },
      ],
    },
  ]);
  const summary = requests.find(isSummaryRequest);
  assert.equal(summary?.system, requests[0]?.system);
  assert.deepEqual(
    summary?.tools,
    requests[0]?.tools,
    "tools stay, or providers refuse the calls in the history",
  );
});

test("compaction: forced once when the provider rejects the context as too long", async () => {
  const overflow = { error: new ModelError("context_overflow", "too long", { retryable: false }) };
  const log = new MemoryLog();
  log.message("go");
  const model = scriptedModel([overflow, says("summary"), says("done")]);
  assert.deepEqual(await runTurn(testTurn({ log, model })), { type: "end_turn" });
  assert.equal(compactions(log), 1);
  const hopeless = new MemoryLog();
  hopeless.message("go");
  const never = scriptedModel([overflow, says("summary"), overflow]);
  assert.deepEqual(await runTurn(testTurn({ log: hopeless, model: never })), { type: "retries_exhausted" });
  const error = hopeless.events.find((event) => event.type === "session.error");
  assert.equal(error?.error.retry_status.type, "terminal");
});

test("compaction: a summary request that overflows is followed by one for an answer, with the history cut", async () => {
  const overflow = { error: new ModelError("context_overflow", "too long", { retryable: false }) };
  const log = new MemoryLog();
  log.message("go");
  const echo = { blocks: [toolCall("Echo", { text: "x" })] };
  const results = ["old", "newer", "newest"];
  const tool = testTool("Echo", () => textResult((results.shift() ?? "").repeat(2_000)));
  const model = scriptedModel([echo, echo, echo, overflow, overflow, says("done")]);
  assert.deepEqual(await runTurn(testTurn({ log, model, tools: [tool] })), { type: "end_turn" });
  assert.equal(compactions(log), 0);
  const event = log.events.find((candidate) => candidate.type === "agent.content_omitted");
  assert.deepEqual([event?.reason, event?.omitted], ["too long", [{ type: "tool_result", count: 2 }]]);
  const last = model.requests.at(-1)?.messages ?? [];
  assert.deepEqual(foldHistory(log.entries).messages.slice(0, -1), last);
  assert.match(JSON.stringify(last.at(-1)), /newestnewest/, "the newest results are cut last");
});

for (const empty of [
  { blocks: [] },
  { blocks: [{ type: "text" as const, text: " \n" }] },
  { blocks: [toolCall("Echo")] },
])
  test(`compaction: a summary without text (${JSON.stringify(empty.blocks).slice(0, 30)}) is asked for again`, async () => {
    const log = new MemoryLog();
    log.message("the task");
    const answers = [empty, says("the summary")];
    const model = scriptedModel(
      (request) => {
        if (isSummaryRequest(request)) return answers.shift() ?? says("another");
        const isCompacted = JSON.stringify(request.messages).includes("the summary");
        return isCompacted ? says("done") : { blocks: [toolCall("Echo", { text: "x" })] };
      },
      { contextWindow: 4_000, maxOutputTokens: 500 },
    );
    const tool = testTool("Echo", () => textResult("y".repeat(3_900)));
    const stop = await runTurn(testTurn({ log, model, tools: [tool] }));
    assert.deepEqual(stop, { type: "end_turn" });
    assert.deepEqual(answers, []);
    assert.equal(compactions(log), 1);
    assert.match(JSON.stringify(foldHistory(log.entries).messages), /the summary/);
    const failed = log.events.filter((event) => event.type === "span.model_request_end" && event.is_error);
    assert.ok(failed.every((event) => event.type === "span.model_request_end" && event.model_usage !== null));
  });

test("compaction: when no summary has text, the oldest results are cut in its place, and nothing else is lost", async () => {
  const log = new MemoryLog();
  log.message("the task");
  const runs: string[] = [];
  const tool = testTool("Echo", (text) => {
    runs.push(text);
    return textResult(`${text} ${"y".repeat(3_000)}`);
  });
  const requests: ModelRequest[] = [];
  const model = scriptedModel(
    (request) => {
      if (isSummaryRequest(request)) return { blocks: [] };
      return runs.length === 9
        ? says("done")
        : { blocks: [toolCall("Echo", { text: `run ${runs.length}` })] };
    },
    { contextWindow: 6_000, maxOutputTokens: 500 },
  );
  assert.deepEqual(await runTurn(testTurn({ log, model: strict(model, requests), tools: [tool] })), {
    type: "end_turn",
  });
  assert.equal(compactions(log), 0);
  const omissions = log.events.filter((event) => event.type === "agent.content_omitted");
  assert.ok(omissions.length > 0);
  assert.match(omissions[0]?.reason ?? "", /no summary/);
  const text = JSON.stringify(requests.at(-1)?.messages);
  assert.match(text, /the task/);
  assert.match(text, /run 8 y/, "the newest result is there");
  assert.match(text, /run 0/, "the oldest call is there");
  assert.doesNotMatch(text, /run 0 y/, "its result is not");
});

test("compaction: from the second one on the first task is there in full, with the messages after it and the files that were changed", async () => {
  const log = new MemoryLog();
  const first = `The first task, with ${"a constraint, ".repeat(60)}and an end.`;
  log.message(first);
  const requests: ModelRequest[] = [];
  let summaries = 0;
  let written = 0;
  const model = scriptedModel(
    (request) => {
      if (isSummaryRequest(request)) return says(`summary ${++summaries}`);
      if (summaries >= 4) return says("done");
      written += 1;
      return { blocks: [toolCall("Write", { text: "x", file_path: `/data/file-${written}` })] };
    },
    { contextWindow: 12_000, maxOutputTokens: 1_000 },
  );
  const write = {
    ...testTool("Write", (_) => {
      if (written === 3)
        log.message(`The second message, ${"with much of a log in it, ".repeat(600)}and its end.`);
      if (written === 9) log.message("The newest message.");
      return written === 5
        ? { ...textResult("no"), isError: true }
        : textResult(`wrote ${"z".repeat(7_000)}`);
    }),
  };
  const tool = {
    ...write,
    input: z.looseObject({}),
    run: (input: unknown, context: ToolContext) => write.run({ text: String(input) }, context),
  };
  assert.deepEqual(await runTurn(testTurn({ log, model: strict(model, requests), tools: [tool as Tool] })), {
    type: "end_turn",
  });
  assert.ok(compactions(log) >= 4, `${compactions(log)} compactions`);
  const messages = requests.at(-1)?.messages ?? [];
  const text = messages[0]?.role === "user" ? textOf(messages[0].content) : "";
  assert.ok(text.includes(first), "the first message is whole");
  assert.match(text, /The second message.*characters left out.*and its end/s);
  assert.match(text, /The newest message\./);
  assert.equal(text.split("The newest message.").length, 2, "and there once");
  assert.match(text, /\/data\/file-1\n\/data\/file-2\n/);
  assert.doesNotMatch(text, /file-5\b/, "a call that failed changed nothing");
  assert.match(text, /wrote z+/, "the newest results are there");
  assert.ok(text.split("The first task").length === 2);
});

for (const [length, whole] of [
  [40_000, true],
  [90_000, true],
  [150_000, false],
] as const) {
  test(`compaction: of a first message of ${length} characters ${whole ? "all" : "no more than 100,000"} are kept`, async () => {
    const log = new MemoryLog();
    const first = `The task. ${"x".repeat(length / 2)} the middle ${"x".repeat(length / 2)}`;
    log.message(first);
    const requests: ModelRequest[] = [];
    let rounds = 0;
    const model = scriptedModel((request) => {
      if (isSummaryRequest(request)) return says("a summary");
      rounds += 1;
      return rounds % 4 === 0 ? says("done") : { blocks: [toolCall("Echo", { text: "x" })] };
    });
    const agent = { ...testAgent, model: { ...testAgent.model, compact_at: length / 4 + 6_000 } };
    const tool = testTool("Echo", () => textResult("r".repeat(length)));
    for (const message of ["", "The second message.", "The third message."]) {
      if (message !== "") log.message(message);
      await runTurn(testTurn({ log, model: strict(model, requests), agent, tools: [tool] }));
    }
    assert.ok(compactions(log) >= 2);
    const message = requests.at(-1)?.messages[0];
    const text = message?.role === "user" ? textOf(message.content) : "";
    assert.match(text, /The second message\./);
    assert.equal(text.includes(first), whole);
    assert.match(text, whole ? /the middle/ : /The task\..*characters left out/s);
  });
}

test("compaction: a message larger than the window is truncated, and the turn continues", async () => {
  const log = new MemoryLog();
  log.message(`begin ${"z".repeat(40_000)} end`);
  const requests: ModelRequest[] = [];
  const answers = scriptedModel((request) => says(isSummaryRequest(request) ? "it is long" : "done"), {
    contextWindow: 2_000,
    maxOutputTokens: 400,
  });
  assert.deepEqual(await runTurn(testTurn({ log, model: strict(answers, requests) })), { type: "end_turn" });
  assert.match(JSON.stringify(requests.at(-1)?.messages), /begin z+.*characters left out.*z+ end/);
});

test("shrink messages: results after the last response first, and calls stay with their results", () => {
  const call = (id: string) => ({
    type: "tool_call" as const,
    id,
    name: "Echo",
    input: { text: "i".repeat(300) },
  });
  const result = (id: string, length: number) => ({
    role: "tool" as const,
    content: [
      { id, name: "Echo", content: [{ type: "text" as const, text: "r".repeat(length) }], isError: false },
    ],
  });
  const thinking = { type: "thinking" as const, text: "t".repeat(400), opaque: { signature: "s" } };
  const messages: ModelMessage[] = [
    { role: "user", content: [{ type: "text", text: "task" }] },
    ...Array.from({ length: 20 }, (_, index): ModelMessage[] => [
      { role: "assistant", content: [thinking, call(`c${index}`)] },
      result(`c${index}`, index === 19 ? 100_000 : 1_000),
    ]).flat(),
  ];
  const whole = estimateTokens(messages);
  for (const budget of [whole, 15_000, 12_000, 6_000, 2_000, 400]) {
    const shorter = shrinkMessages(messages, budget);
    assert.ok(estimateTokens(shorter) <= budget, `${budget}`);
    assertValidMessages(shorter);
  }
  assert.equal(shrinkMessages(messages, whole), messages);
  assert.deepEqual(shrinkMessages(messages, 15_000).slice(0, -1), messages.slice(0, -1));
});
