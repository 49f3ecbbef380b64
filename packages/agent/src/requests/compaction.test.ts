import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testTool, testTurn } from "../../test-support/turn.ts";
import { assertValidMessages } from "../../test-support/valid-messages.ts";
import { foldHistory } from "../history/fold-history.ts";
import { textOf } from "../history/message-blocks.ts";
import { runTurn } from "../loop/run-turn.ts";
import { estimatePrefixTokens, estimateTokens } from "../models/estimate-tokens.ts";
import { type Model, ModelError, type ModelMessage, type ModelRequest } from "../models/model.ts";
import { createRehearsalModel } from "../models/rehearsal/rehearsal-model.ts";
import * as notes from "../prompts/notes.ts";
import { textResult } from "../tools/tool.ts";
import { shrinkMessages } from "./shrink-messages.ts";

/** Rejects, as a provider does, requests without room for the response and histories with calls apart from their results. */
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

test("compaction: keeps the summary and the newest message verbatim, and logs the tokens before and after", async () => {
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
  assert.ok(event !== undefined && event.input_tokens_before > 3_500 && event.input_tokens_after < 500);
  const after = requests[requests.findIndex(isSummaryRequest) + 1];
  assert.deepEqual(after?.messages, [
    {
      role: "user",
      content: [
        { type: "text", text: notes.summaryOf("the summary") },
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

test("compaction: a summary request that overflows is retried with half of the history; without text there is a note", async () => {
  const overflow = { error: new ModelError("context_overflow", "too long", { retryable: false }) };
  const log = new MemoryLog();
  log.message("go");
  const model = scriptedModel([overflow, overflow, { blocks: [] }, says("done")]);
  assert.deepEqual(await runTurn(testTurn({ log, model })), { type: "end_turn" });
  const [first] = foldHistory(log.entries).messages;
  assert.ok(first?.role === "user" && textOf(first.content).includes(notes.NO_SUMMARY));
});

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
