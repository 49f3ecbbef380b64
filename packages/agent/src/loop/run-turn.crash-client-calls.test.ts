import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionAgent, StopReason } from "@berth/contract";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { type ScriptedResponse, says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testAgent, testTool, testTurn } from "../../test-support/turn.ts";
import { assertValidMessages } from "../../test-support/valid-messages.ts";
import { isToolUse } from "../history/call-events.ts";
import { foldHistory } from "../history/fold-history.ts";
import type { ModelRequest } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { textResult } from "../tools/tool.ts";
import { runTurn } from "./run-turn.ts";

class Crash extends Error {}

const agent: SessionAgent = {
  ...testAgent,
  tools: [{ type: "custom", name: "lookup", description: "Looks up.", input_schema: { type: "object" } }],
};

/** Makes a call that runs at once, two that are confirmed, one that is denied, and one of a custom tool. */
function respondTo({ messages }: ModelRequest): ScriptedResponse {
  const history = JSON.stringify(messages);
  if (history.includes(JSON.stringify(notes.SUMMARY_INSTRUCTION).slice(1, -1))) return says("the summary");
  if (history.includes("the summary")) return says("done");
  if (messages.some((message) => message.role === "assistant")) return says("done");
  const asked = ["one", "two", "three"].map((text) => toolCall("Ask", { text }));
  return { blocks: [toolCall("Free", { text: "free" }), ...asked, toolCall("lookup")] };
}

interface World {
  log: MemoryLog;
  /** The number of runs of each call, over all processes. */
  effects: Map<string, number>;
  /** Whether the calls' results exceed the window, so that a compaction precedes the next response. */
  compacts: boolean;
}

function newWorld(compacts: boolean): World {
  return { log: new MemoryLog(), effects: new Map(), compacts };
}

/** Runs one process, which crashes at its step `dieAt`. Also returns the number of its steps. */
async function runProcess(
  { log, effects, compacts }: World,
  dieAt = Number.POSITIVE_INFINITY,
): Promise<{ end: StopReason | Crash; steps: number }> {
  let steps = 0;
  const step = () => {
    steps += 1;
    if (steps >= dieAt) throw new Crash();
  };
  log.onAppend = step;
  const countingTool = (name: string) =>
    testTool(name, (text) => {
      step();
      effects.set(text, (effects.get(text) ?? 0) + 1);
      step();
      return textResult(compacts ? text + "y".repeat(3_900) : text);
    });
  const model = scriptedModel(respondTo, compacts ? { contextWindow: 2_000, maxOutputTokens: 400 } : {});
  const turn = testTurn({
    log,
    agent,
    model: {
      ...model,
      async *stream(...given: Parameters<typeof model.stream>) {
        step();
        assertValidMessages(given[0].messages);
        yield* model.stream(...given);
      },
    },
    tools: [countingTool("Free"), { ...countingTool("Ask"), permission: "always_ask" }],
  });
  const end = await runTurn(turn).catch((error: unknown) => {
    if (error instanceof Crash) return error;
    throw error;
  });
  log.onAppend = () => {};
  return { end, steps };
}

/** Replies to every waiting call once, as a client that reads the log would. */
function replyToAll({ log }: World): void {
  for (const [index, call] of foldHistory(log.entries).openCalls.entries()) {
    if (call.state !== "waiting") continue;
    if (call.kind === "custom") {
      const content = [{ type: "text" as const, text: "found" }];
      log.send({
        type: "user.custom_tool_result",
        custom_tool_use_id: call.eventId,
        content,
        is_error: false,
      });
    } else {
      const result = index === 1 ? ("deny" as const) : ("allow" as const);
      log.send({ type: "user.tool_confirmation", tool_use_id: call.eventId, result });
    }
  }
}

/** Runs to the end with one crash, before or after the replies. Returns the steps of both processes. */
async function runWithCrash(
  world: World,
  death: { first?: number; second?: number },
): Promise<[number, number]> {
  world.log.message("go");
  const first = await runProcess(world, death.first);
  if (first.end instanceof Crash) await settle(world, "requires_action");
  replyToAll(world);
  const second = await runProcess(world, death.second);
  if (second.end instanceof Crash) await settle(world, "end_turn");
  return [first.steps, second.steps];
}

async function settle(world: World, type: StopReason["type"]): Promise<void> {
  const { end } = await runProcess(world);
  assert.equal("type" in end && end.type, type, JSON.stringify(world.log.events, null, 1));
}

function assertOnce({ log, effects, compacts }: World, context: string): void {
  for (const [effect, times] of effects) assert.equal(times, 1, `${effect} ran ${times} times, ${context}`);
  const uses = log.events.filter(isToolUse);
  assert.equal(uses.length, 5, context);
  const results = log.events.flatMap((event) => {
    if (event.type === "agent.tool_result") return [event.tool_use_id];
    return event.type === "user.custom_tool_result" ? [event.custom_tool_use_id] : [];
  });
  assert.deepEqual(results.sort(), uses.map(({ id }) => id).sort(), context);
  const history = foldHistory(log.entries);
  assert.deepEqual([history.openCalls, history.responseDue], [[], false], context);
  assertValidMessages(history.messages);
  const unknown =
    JSON.stringify(log.events).split(JSON.stringify(notes.INTERRUPTED_CALL).slice(1, -1)).length - 1;
  assert.ok(
    effects.size >= 3 - unknown,
    `${effects.size} ran, ${unknown} are told as interrupted, ${context}`,
  );
  const waited = log.events.every((event) => event.processed_at !== null);
  assert.ok(waited, `every answer is processed, ${context}`);
  const summaries = log.types.filter((type) => type === "agent.context_compacted").length;
  assert.ok(compacts ? summaries <= 2 : summaries === 0, `${summaries} summaries, ${context}`);
}

for (const compacts of [false, true]) {
  const how = compacts ? ", with a compaction" : "";
  test(`crash at any step before or after the client's replies: waiting calls run once or are marked as interrupted${how}`, async (t) => {
    const whole = newWorld(compacts);
    const [before, after] = await runWithCrash(whole, {});
    assertOnce(whole, "alive");
    assert.equal(whole.log.types.includes("agent.context_compacted"), compacts);
    assert.deepEqual([...whole.effects.keys()].sort(), ["free", "one", "three"]);
    let marked = 0;
    for (const [which, steps] of [
      ["first", before],
      ["second", after],
    ] as const) {
      for (let dieAt = 1; dieAt <= steps; dieAt++) {
        const world = newWorld(compacts);
        await runWithCrash(world, { [which]: dieAt });
        assertOnce(world, `after a death at step ${dieAt} of the ${which} process`);
        marked += JSON.stringify(world.log.events).includes(notes.INTERRUPTED_CALL) ? 1 : 0;
      }
    }
    assert.ok(before > 8 && after > 10, `${before} and ${after} steps`);
    assert.ok(marked > 3, "some deaths leave calls with an unknown outcome");
    t.diagnostic(`${before + after} crash points, ${marked} of them left interrupted calls`);
  });
}
