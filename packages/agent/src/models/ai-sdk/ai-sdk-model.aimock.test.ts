import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { ask, continued, exchange } from "../../../test-support/models/exchange.ts";
import { kinds, modelAt } from "../../../test-support/models/providers.ts";

/** An independent implementation: the doubles of this repository could share an error with the client. */
describe("models against aimock's provider", () => {
  for (const kind of kinds) {
    it(`${kind}: the same exchange as with the double`, async (test) => {
      const mock = new LLMock({ port: 0 });
      const call = { id: "call_1", name: "Look", arguments: { at: "x" } };
      mock.on(
        { userMessage: "Look.", hasToolResult: false },
        { content: "Looking.", reasoning: "Where?", toolCalls: [call, { ...call, id: "call_2" }] },
      );
      mock.on({ toolResultContains: "seen" }, { content: "It is fine.", usage: usageOf(kind) });
      await mock.start();
      test.after(() => mock.stop());
      const model = modelAt(`${mock.url}/v1`, kind);

      const first = await exchange(model, ask("Look."));
      assert.equal(first.error, null);
      assert.equal(first.finish?.reason, "tool_calls");
      assert.equal(first.text, "Looking.");
      assert.deepEqual(
        first.blocks.flatMap((block) => (block.type === "tool_call" ? [[block.name, block.input]] : [])),
        [
          ["Look", { at: "x" }],
          ["Look", { at: "x" }],
        ],
      );
      assert.ok(first.blocks.some((block) => block.type === "thinking" && block.text === "Where?"));

      const second = await exchange(model, continued(ask("Look."), first.blocks, "seen"));
      assert.equal(second.error, null);
      assert.equal(second.text, "It is fine.");
      assert.equal(second.finish?.reason, "end_turn");
      assert.equal(second.finish?.usage.input_tokens, 11);
      assert.equal(second.finish?.usage.output_tokens, 22);
    });
  }
});

function usageOf(kind: (typeof kinds)[number]) {
  return kind === "openai-compatible"
    ? { prompt_tokens: 11, completion_tokens: 22, total_tokens: 33 }
    : { input_tokens: 11, output_tokens: 22 };
}
