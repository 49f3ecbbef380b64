// Subject: responses that are complete but unusable: inputs of calls that are not objects, and thinking
// alone.
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { kinds, modelAt, startDouble } from "../../test-support/models/providers.ts";
import type { Answer } from "../../test-support/models/wire-double.ts";
import { testTool, testTurn } from "../../test-support/turn.ts";
import type { ProviderKind } from "../models/ai-sdk/provider.ts";
import { textResult } from "../tools/tool.ts";
import { runTurn } from "./run-turn.ts";

const call = (input: unknown): Answer => ({ blocks: [{ tool: "Look", id: "call_1", input }] });
const done: Answer = { blocks: [{ text: "It is fine." }] };
const thought: Answer = { blocks: [{ thinking: "Hm." }] };

async function turn(test: TestContext, kind: ProviderKind, ...answers: Answer[]) {
  const double = await startDouble(kind);
  test.after(() => double.close());
  double.enqueue(...answers);
  const log = new MemoryLog();
  log.message("Look left.");
  const looked: string[] = [];
  const look = testTool("Look", (text) => {
    looked.push(text);
    return textResult(`saw ${text}`);
  });
  const parts = testTurn({ model: modelAt(double.baseUrl, kind), log, tools: [look] });
  const stop = await runTurn(parts);
  assert.ok(double.requests.every(({ refusal }) => refusal === null));
  const results = log.events.flatMap((event) => (event.type === "agent.tool_result" ? [event] : []));
  return { stop, looked, log, double, parts, results: results.map(({ content }) => JSON.stringify(content)) };
}

for (const kind of kinds)
  describe(`odd answers of ${kind}`, () => {
    it("JSON in a string of JSON is the input that it says", async (test) => {
      const { stop, looked } = await turn(test, kind, call(JSON.stringify('{"text":"left"}')), done);
      assert.deepEqual([stop.type, looked], ["end_turn", ["left"]]);
    });

    for (const input of ['{"text": "le', '["left"]', '"left"', "left, please"])
      it(`the input ${input}: the model is told what is wrong with it, and goes on`, async (test) => {
        const { stop, looked, results, double } = await turn(
          test,
          kind,
          call(input),
          call({ text: "left" }),
          done,
        );
        assert.deepEqual([stop.type, looked, double.requests.length], ["end_turn", ["left"], 3]);
        assert.match(results[0] ?? "", /has to be one JSON object/);
        assert.ok(results[0]?.includes(JSON.stringify(input).slice(1, 8)), "it is told how it began");
      });

    it("thinking alone is asked for an answer once more", async (test) => {
      const { stop, log, double } = await turn(test, kind, thought, done);
      assert.deepEqual([stop.type, double.requests.length], ["end_turn", 2]);
      assert.ok(!log.types.includes("session.error"));
      assert.ok(log.types.includes("agent.message"));
    });

    it("thinking alone twice: an error says so, and the next message is answered", async (test) => {
      const { stop, log, parts, double } = await turn(test, kind, thought, thought);
      assert.deepEqual(stop.type, "retries_exhausted");
      const error = log.events.findLast((event) => event.type === "session.error");
      assert.match(error?.error.message ?? "", /after thinking, without a text or a tool call/);
      const ends = log.events.filter((event) => event.type === "span.model_request_end");
      assert.ok(ends.every((event) => event.type === "span.model_request_end" && event.model_usage !== null));
      log.message("And?");
      double.enqueue(done);
      assert.deepEqual(await runTurn(parts), { type: "end_turn" });
    });

    it("thinking before a text or a call is no such answer, nor is an empty answer without any", async (test) => {
      const before: Answer = {
        blocks: [{ thinking: "Hm." }, { tool: "Look", id: "call_1", input: { text: "left" } }],
      };
      const after: Answer = { blocks: [{ thinking: "Hm." }, { text: "Fine." }] };
      const { stop, double } = await turn(test, kind, before, after);
      assert.deepEqual([stop.type, double.requests.length], ["end_turn", 2]);
      const nothing = await turn(test, kind, { blocks: [] });
      assert.deepEqual([nothing.stop.type, nothing.double.requests.length], ["end_turn", 1]);
    });
  });
