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

const CONCURRENCY = 8;

/**
 * Returns the number of bytes of a recorded response that make it complete, if its connection then closes in
 * order. In Chat Completions these end with the chunk that has the finish reason; usage and `[DONE]` after it
 * may be missing.
 */
export function completeBytes(kind: ProviderKind, recording: Buffer): number {
  if (kind !== "openai-compatible") return recording.length;
  return recording.indexOf("\n\n", recording.indexOf('"finish_reason":"')) + "\n\n".length;
}

/**
 * Declares the tests that cut a recorded response before each of its bytes, alternating between the two ways
 * in which a connection can end.
 */
export function describeCuts(kind: ProviderKind): void {
  describe(`response of ${kind}, cut at every byte`, () => {
    for (const [first, how] of (["reset", "close"] as const).entries()) {
      it(`connection ended by ${how} at every second byte → never taken for complete`, async (test) => {
        const double = await startDouble(kind);
        test.after(() => double.close());
        const model = modelAt(double.baseUrl, kind);
        const recording = double.recording(recorded);
        const complete = how === "close" ? completeBytes(kind, recording) : recording.length;
        // Without the last line feed the last event is incomplete.
        const bytes = complete - 1;
        let next = first;
        let cuts = 0;
        const cutAll = async () => {
          while (next < bytes) {
            // Concurrent requests share the queue: it does not matter which request gets which cut.
            double.enqueue({ ...recorded, cut: { bytes: next, how } });
            next += 2;
            cuts += 1;
            const outcome = await exchange(model, ask("Look."));
            assert.deepEqual(outcome.blocks, []);
            assert.equal(outcome.finish, null);
            assert.equal(modelErrorOf(outcome).retryable, true, `cut before byte ${next} or one near it`);
          }
        };
        await Promise.all(Array.from({ length: CONCURRENCY }, cutAll));
        assert.equal(double.requests.length, cuts);
        assert.ok(cuts > bytes / 2 - 1);

        for (let end = complete; end <= recording.length; end++) {
          double.enqueue({ ...recorded, cut: { bytes: end, how: "close" } });
          const whole = await exchange(model, ask("Look."));
          assert.equal(whole.finish?.reason, "tool_calls");
          assert.deepEqual(
            whole.blocks.map(({ type }) => type),
            ["thinking", "text", "tool_call", "tool_call"],
          );
        }
      });
    }
  });
}
