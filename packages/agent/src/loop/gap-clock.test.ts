// Subject: the parts of the time from a response to the next request, as a turn reports them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testTool, testTurn } from "../../test-support/turn.ts";
import { textResult } from "../tools/tool.ts";
import { GapClock, type GapParts } from "./gap-clock.ts";
import { runTurn } from "./run-turn.ts";
import type { Turn } from "./turn.ts";

/** The least milliseconds that a call takes. */
const CALL_MS = 30;

async function gapsOf(turn: Partial<Turn>): Promise<{ gaps: GapParts[]; elapsed: number }> {
  const log = new MemoryLog();
  log.message("go");
  const gaps: GapParts[] = [];
  const inner = turn.model ?? scriptedModel([]);
  const model: Turn["model"] = {
    ...inner,
    async *stream(request, signal, onSend) {
      onSend?.();
      yield* inner.stream(request, signal);
    },
  };
  const began = performance.now();
  await runTurn(testTurn({ log, onGap: (parts) => gaps.push(parts), ...turn, model }));
  return { gaps, elapsed: performance.now() - began };
}

const slow = testTool("Slow", async (text) => {
  await pause(CALL_MS);
  return textResult(text);
});

test("a gap for each request that follows a response, with parts that add up to no more than the turn", async () => {
  const responses = [
    { blocks: [toolCall("Slow", { text: "one" })] },
    { blocks: [toolCall("Slow", { text: "two" }), toolCall("Slow", { text: "three" })] },
    says("done"),
  ];
  const { gaps, elapsed } = await gapsOf({ model: scriptedModel(responses), tools: [slow] });
  assert.equal(gaps.length, 2);
  for (const parts of gaps) {
    assert.deepEqual(Object.keys(parts), ["append_response", "calls", "append_results", "fold", "build"]);
    assert.ok(Object.values(parts).every((milliseconds) => milliseconds >= 0));
    assert.ok(parts.calls >= CALL_MS - 2, `${parts.calls}`);
  }
  const sum = gaps.flatMap((parts) => Object.values(parts)).reduce((total, one) => total + one, 0);
  assert.ok(sum <= elapsed);
});

test("the results are appended with the response: their time is that of the calls, and the response has none", async () => {
  const reads = { ...testTool("Read", (text) => textResult(text)), readsOnly: true as const };
  const responses = [{ blocks: [toolCall("Read", { text: "one" })] }, says("done")];
  const turn = { model: scriptedModel(responses), tools: [reads], hasSandbox: () => true };
  const { gaps } = await gapsOf(turn);
  assert.deepEqual(
    gaps.map((parts) => [parts.append_response, parts.calls > 0, parts.append_results > 0]),
    [[0, true, true]],
  );
});

test("no gap where a request follows no calls, or the turn ends", async () => {
  const { gaps } = await gapsOf({ model: scriptedModel([says("done")]), tools: [slow] });
  assert.deepEqual(gaps, []);
  const cut = { blocks: [{ type: "text" as const, text: "a" }], reason: "max_tokens" as const };
  assert.deepEqual((await gapsOf({ model: scriptedModel([cut, says("done")]) })).gaps, []);
});

test("a part that comes out of order, or after a gap that was given up, counts for nothing", () => {
  const gaps: GapParts[] = [];
  const clock = new GapClock((parts) => gaps.push(parts));
  clock.end("build");
  clock.begin();
  clock.end("calls");
  clock.end("append_response");
  clock.end("append_response");
  for (const part of ["calls", "append_results", "fold"] as const) clock.end(part);
  clock.giveUp();
  clock.end("build");
  clock.skip("append_response");
  assert.deepEqual(gaps, []);
});
