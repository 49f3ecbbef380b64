// Subject: a process that dies at any step of a turn with Explore calls, and the process that continues it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exploringTurn } from "../../test-support/explore.ts";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { type ScriptedResponse, says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testTool } from "../../test-support/turn.ts";
import { assertValidMessages } from "../../test-support/valid-messages.ts";
import { foldHistory } from "../history/fold-history.ts";
import { parentCallOf } from "../history/nested-events.ts";
import { runTurn } from "../loop/run-turn.ts";
import { type Model, ModelError, type ModelRequest } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";

class Crash extends Error {}

/** Throws at one of its steps and at every later one. */
class Fuse {
  count = 0;
  readonly #dieAt: number;

  constructor(dieAt: number) {
    this.#dieAt = dieAt;
  }

  step(): void {
    this.count += 1;
    if (this.count >= this.#dieAt) throw new Crash();
  }
}

/** Asks two questions and makes another call at once, then asks one more question. */
function agentResponse({ messages }: ModelRequest): ScriptedResponse {
  const answers = messages.filter(({ role }) => role === "assistant").length;
  if (answers === 0)
    return {
      blocks: [
        toolCall("Explore", { question: "one" }),
        toolCall("Echo", { text: "beside" }),
        toolCall("Explore", { question: "two" }),
      ],
    };
  return answers === 1 ? { blocks: [toolCall("Explore", { question: "three" })] } : says("done");
}

/** Makes two calls, fails once, and answers. */
function exploreResponse({ messages, failedAttempts }: ModelRequest): ScriptedResponse {
  if (messages.length === 1)
    return { blocks: [toolCall("Read", { text: "a" }), toolCall("Read", { text: "b" })] };
  if (failedAttempts === 0) return { error: new ModelError("overloaded", "busy", { retryable: true }) };
  return says("found");
}

function dying(respond: (request: ModelRequest) => ScriptedResponse, fuse: Fuse): Model {
  const inner = scriptedModel(respond);
  return {
    ...inner,
    async *stream(...given: Parameters<typeof inner.stream>) {
      fuse.step();
      assertValidMessages(given[0].messages);
      for await (const part of inner.stream(...given)) {
        fuse.step();
        yield part;
      }
    },
  };
}

async function runProcess(log: MemoryLog, fuse: Fuse): Promise<unknown> {
  log.onAppend = () => fuse.step();
  const stepping = (name: string) =>
    testTool(name, async (text) => {
      fuse.step();
      await Promise.resolve();
      fuse.step();
      return { content: [{ type: "text", text }], isError: false };
    });
  const turn = exploringTurn({
    log,
    model: dying(agentResponse, fuse),
    exploreModel: dying(exploreResponse, fuse),
    tools: [stepping("Echo")],
    searches: [stepping("Read")],
    sleep: async () => fuse.step(),
  });
  return await runTurn(turn).catch((error: unknown) => error);
}

/**
 * Asserts that every request and call has one end, and that nested ones end before their call. Nothing may
 * follow the end of a call in its loop.
 */
function assertSettled(log: MemoryLog, context: string): void {
  const history = foldHistory(log.entries);
  assert.deepEqual(
    [history.openCalls, history.openRequest, history.openParts, history.responseDue],
    [[], null, [], false],
    context,
  );
  const open = new Map<string, string | null>();
  const ended = new Set<string>();
  for (const event of log.events) {
    const parent = parentCallOf(event);
    assert.ok(parent === null || open.has(parent), `${event.type} after the end of its call, ${context}`);
    if (event.type === "agent.tool_use" || event.type === "span.model_request_start")
      open.set(event.id, parent);
    const id = endedBy(event);
    if (id === null) continue;
    assert.ok(open.has(id) && !ended.has(id), `${event.type} without a beginning, ${context}`);
    assert.equal(open.get(id), parent, context);
    assert.ok(![...open.values()].includes(id), `a call that ends before its loop, ${context}`);
    open.delete(id);
    ended.add(id);
  }
  assert.equal(open.size, 0, context);
}

function endedBy(event: MemoryLog["events"][number]): string | null {
  if (event.type === "agent.tool_result") return event.tool_use_id;
  return event.type === "span.model_request_end" ? event.model_request_start_id : null;
}

async function stepsOfWholeTurn(): Promise<number> {
  const log = logOf();
  const fuse = new Fuse(Number.POSITIVE_INFINITY);
  assert.deepEqual(await runProcess(log, fuse), { type: "end_turn" });
  assertSettled(log, "without a death");
  return fuse.count;
}

function logOf(): MemoryLog {
  const log = new MemoryLog();
  log.message("go");
  return log;
}

test("a death at any step → the turn goes on in another process, and no loop is run again", async (t) => {
  const steps = await stepsOfWholeTurn();
  assert.ok(steps > 60, `${steps} steps to die at`);
  let interrupted = 0;
  for (let dieAt = 1; dieAt <= steps; dieAt++) {
    const context = `after a death at step ${dieAt}`;
    const log = logOf();
    assert.ok((await runProcess(log, new Fuse(dieAt))) instanceof Crash, context);
    const parents = new Set(log.events.map(parentCallOf));
    const { length } = log.events;
    assert.deepEqual(
      await runProcess(log, new Fuse(Number.POSITIVE_INFINITY)),
      { type: "end_turn" },
      context,
    );
    assertSettled(log, context);
    for (const event of log.events.slice(length)) {
      if (parentCallOf(event) === null || !parents.has(parentCallOf(event))) continue;
      assert.ok(endedBy(event) !== null, `a loop goes on with ${event.type}, ${context}`);
      interrupted += 1;
    }
    const own = log.entries.filter(({ event }) => parentCallOf(event) === null);
    assert.deepEqual(foldHistory(log.entries), foldHistory(own), context);
  }
  assert.ok(interrupted > 20, "deaths leave requests and calls of loops open");
  t.diagnostic(`${steps} steps, ${interrupted} ends of what a dead process had begun in loops`);
});

test("a second death in the recovery → each end is there once", async () => {
  const steps = await stepsOfWholeTurn();
  for (let first = 8; first <= steps; first += 3) {
    for (let second = 1; second <= 6; second++) {
      const log = logOf();
      await runProcess(log, new Fuse(first));
      await runProcess(log, new Fuse(second));
      const context = `deaths at ${first} and ${second}`;
      assert.deepEqual(
        await runProcess(log, new Fuse(Number.POSITIVE_INFINITY)),
        { type: "end_turn" },
        context,
      );
      assertSettled(log, context);
    }
  }
});

test("what a dead process had begun in a loop → interrupted, before the call, in one append", async () => {
  const log = logOf();
  const [call] = log
    .store([
      { event: { type: "span.model_request_start", model: "m" }, id: "event_request" },
      {
        event: {
          type: "agent.tool_use",
          name: "Explore",
          input: { question: "q" },
          evaluated_permission: "allow",
        },
      },
      {
        event: {
          type: "span.model_request_end",
          model_request_start_id: "event_request",
          is_error: false,
          model_usage: null,
        },
      },
    ])
    .slice(1, 2);
  const parent_tool_use_id = call?.event.id ?? assert.fail();
  const read = { type: "agent.tool_use", name: "Read", input: {}, evaluated_permission: "allow" } as const;
  log.store([
    { id: "event_read", event: { ...read, parent_tool_use_id } },
    { id: "event_nested", event: { type: "span.model_request_start", model: "m", parent_tool_use_id } },
  ]);
  const { length } = log.events;
  const appends: number[] = [];
  log.onAppend = (durable) => {
    if (durable) appends.push(log.events.length);
  };
  await runTurn(exploringTurn({ log, model: scriptedModel([says("Done.")]), searches: [] }));
  assert.equal(appends[0], length + 3);
  const ends = log.events.slice(length, length + 3);
  assert.deepEqual(
    ends.map((event) => [event.type, endedBy(event), parentCallOf(event)]),
    [
      ["span.model_request_end", "event_nested", parent_tool_use_id],
      ["agent.tool_result", "event_read", parent_tool_use_id],
      ["agent.tool_result", parent_tool_use_id, null],
    ],
  );
  for (const event of ends.slice(1)) assert.ok(JSON.stringify(event).includes(notes.INTERRUPTED_CALL));
});
