import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ProviderKind } from "../../src/models/ai-sdk/provider.ts";
import { ask, exchange, modelErrorOf } from "./exchange.ts";
import { modelAt, startDouble } from "./providers.ts";
import type { Answer } from "./wire-double.ts";

const recorded: Answer = {
  blocks: [
    { thinking: "Where?" },
    { text: "Löok – " },
    { tool: "Look", id: "call_1", input: { at: "ä\n" } },
    { tool: "Look", id: "call_2", input: {} },
  ],
};

const atOnce = 8;

/** Declares the tests that cut a recorded answer before each of its bytes, once for each way in which a connection can end. */
export function describeCuts(kind: ProviderKind): void {
  describe(`an answer of ${kind}, cut at every byte`, () => {
    for (const how of ["reset", "close"] as const) {
      it(`is never taken for a whole one when the connection ends by ${how}`, async (test) => {
        const double = await startDouble(kind);
        test.after(() => double.close());
        const model = modelAt(double.baseUrl, kind);
        // Without its last line feed, the last event is there and its end is not.
        const bytes = double.recording(recorded).length - 1;
        let next = 0;
        const cutAll = async () => {
          while (next < bytes) {
            // Several at once share the queue: which of them gets which cut does not matter.
            double.enqueue({ ...recorded, cut: { bytes: next++, how } });
            const outcome = await exchange(model, ask("Look."));
            assert.deepEqual(outcome.blocks, []);
            assert.equal(outcome.finish, null);
            assert.equal(modelErrorOf(outcome).retryable, true, `cut before byte ${next}`);
          }
        };
        await Promise.all(Array.from({ length: atOnce }, cutAll));
        assert.equal(double.requests.length, bytes);

        double.enqueue({ ...recorded, cut: { bytes: bytes + 1, how: "close" } });
        const whole = await exchange(model, ask("Look."));
        assert.equal(whole.finish?.reason, "tool_calls");
        assert.deepEqual(
          whole.blocks.map(({ type }) => type),
          ["thinking", "text", "tool_call", "tool_call"],
        );
      });
    }
  });
}
