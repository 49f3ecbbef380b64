import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runTurn } from "../../src/loop/run-turn.ts";
import type { ProviderKind } from "../../src/models/ai-sdk/provider.ts";
import { textResult } from "../../src/tools/tool.ts";
import { MemoryLog } from "../memory-log.ts";
import { testTool, testTurn } from "../turn.ts";
import { completeBytes } from "./cuts.ts";
import { modelAt, startDouble } from "./providers.ts";
import type { Answer } from "./wire-double.ts";

const calling: Answer = {
  blocks: [{ text: "Looking." }, { tool: "Look", id: "call_1", input: { text: "left" } }],
};
/** The next turn runs only after every so many cuts, since the log is the same for each. */
const NEXT_TURN_EVERY = 16;
/** Bytes from one cut to the next; `describeCuts` tests the bytes in between. */
const STRIDE = 5;
const done: Answer = { blocks: [{ text: "It is fine." }] };

/** Declares the test that runs a turn, and sometimes the next one, for many cuts of its first response. */
export function describeTurnCuts(kind: ProviderKind): void {
  describe(`turn with ${kind}: first response cut at every ${STRIDE} bytes`, () => {
    it("runs the call of the retried response once and none of the cut one, and continues", async (test) => {
      const double = await startDouble(kind);
      test.after(() => double.close());
      const model = modelAt(double.baseUrl, kind);
      const bytes = completeBytes(kind, double.recording(calling)) - 1;
      for (let cut = 0; cut < bytes; cut += STRIDE) {
        const how = (cut / STRIDE) % 2 === 0 ? "reset" : "close";
        double.enqueue({ ...calling, cut: { bytes: cut, how } }, calling, done);
        const log = new MemoryLog();
        const looked: string[] = [];
        const look = testTool("Look", (text) => {
          looked.push(text);
          return textResult(`saw ${text}`);
        });
        const turn = testTurn({ model, log, tools: [look] });

        log.message("Look left.");
        assert.deepEqual(await runTurn(turn), { type: "end_turn" }, `cut before byte ${cut}`);
        assert.deepEqual(looked, ["left"]);
        assert.equal(log.entries.filter(({ event }) => event.type === "session.error").length, 1);
        assert.equal(double.requests[0]?.text, double.requests[1]?.text, "the retry is the same request");

        if ((cut / STRIDE) % NEXT_TURN_EVERY === 0) {
          double.enqueue(done);
          log.message("Thank you.");
          assert.deepEqual(await runTurn(turn), { type: "end_turn" });
        }
        assert.ok(double.requests.length >= 3);
        assert.ok(double.requests.every(({ refusal }) => refusal === null));
        double.requests.length = 0;
      }
    });
  });
}
