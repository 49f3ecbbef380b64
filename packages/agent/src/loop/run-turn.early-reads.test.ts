// Subject: only calls that just read begin before the append that announces them has ended.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testTool, testTurn } from "../../test-support/turn.ts";
import { LeaseLost } from "../history/log.ts";
import type { Draft, LogEntry } from "../history/log-entry.ts";
import { type Tool, textResult } from "../tools/tool.ts";
import { runTurn } from "./run-turn.ts";
import type { Turn } from "./turn.ts";

/** A log in which the append of calls waits. */
class HeldLog extends MemoryLog {
  readonly arrived = Promise.withResolvers<void>();
  readonly held = Promise.withResolvers<void>();
  /** The types of the events of each append. */
  readonly appends: string[] = [];

  override async append(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    await this.#hold(drafts);
    return await super.append(drafts);
  }

  override async appendTakingInputs(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    await this.#hold(drafts);
    return await super.appendTakingInputs(drafts);
  }

  async #hold(drafts: readonly Draft[]): Promise<void> {
    this.appends.push(drafts.map(({ event }) => event.type.replace(/^(agent|span)\./, "")).join(" "));
    if (!drafts.some(({ event }) => event.type === "agent.tool_use")) return;
    this.arrived.resolve();
    await this.held.promise;
  }
}

/** Runs a turn of one response with calls of these tools; names in small letters are of reading tools. */
function begin(
  names: readonly string[],
  more: Partial<Turn> = {},
  end: () => Promise<void> = async () => {},
) {
  const log = new HeldLog();
  log.message("go");
  const begun: string[] = [];
  const signals: AbortSignal[] = [];
  const allBegun = Promise.withResolvers<void>();
  const tools = [...new Set(names)].map((name): Tool => {
    const tool = testTool(name, async (text, signal) => {
      begun.push(text);
      signals.push(signal);
      if (begun.length === names.length) allBegun.resolve();
      await end();
      return textResult(text);
    });
    return name === name.toLowerCase() ? { ...tool, readsOnly: true } : tool;
  });
  const calls = names.map((name, index) => toolCall(name, { text: `${name} ${index}` }));
  const model = scriptedModel([{ blocks: calls }, says("done")]);
  const ended = runTurn(testTurn({ log, model, tools, hasSandbox: () => true, ...more }));
  return { log, begun, signals, ended, allBegun: allBegun.promise };
}

/** Waits until everything has happened that can happen without the append. */
const settled = async () => {
  for (let round = 0; round < 20; round++) await new Promise(setImmediate);
};

const CASES: readonly (readonly [calls: string, early: string])[] = [
  ["r W r", "r 0"],
  ["W r", ""],
  ["W", ""],
];
for (const [calls, early] of CASES)
  test(`of the calls ${calls}, in small letters those that only read, before the append: ${early || "none"}`, async () => {
    const names = calls.split(" ");
    const { log, begun, ended } = begin(names);
    await log.arrived.promise;
    await settled();
    assert.equal(begun.join(", "), early);
    assert.ok(!log.types.includes("agent.tool_result"));
    log.held.resolve();
    assert.deepEqual(await ended, { type: "end_turn" });
    assert.deepEqual(begun.toSorted(), names.map((name, index) => `${name} ${index}`).toSorted());
    const [last, ...before] = log.types.filter((type) => type.startsWith("agent.tool")).toReversed();
    assert.equal(last, "agent.tool_result");
    assert.equal(before.indexOf("agent.tool_use"), names.length - 1, "each result is behind all calls");
  });

test("a sandbox would have to be opened: nothing begins before it is announced", async () => {
  const { log, begun, ended } = begin(["r", "r"], { hasSandbox: () => false });
  await log.arrived.promise;
  await settled();
  assert.deepEqual(begun, []);
  log.held.resolve();
  assert.deepEqual(await ended, { type: "end_turn" });
  assert.equal(begun.length, 2);
});

const TOGETHER = "model_request_end tool_result tool_result model_request_start";

for (const names of [
  ["r", "r"],
  ["r", "s"],
])
  test(`${names.join(" ")}, which just read: one append has the calls, their results and the next request`, async () => {
    const { log, ended } = begin(names);
    log.held.resolve();
    assert.deepEqual(await ended, { type: "end_turn" });
    assert.deepEqual(log.appends.slice(1), [`tool_use tool_use ${TOGETHER}`, "message model_request_end"]);
    const [first, second] = log.events.filter((event) => event.type === "agent.tool_use");
    const results = log.events.filter((event) => event.type === "agent.tool_result");
    assert.deepEqual(
      results.map((result) => [result.tool_use_id, result.content]),
      [first, second].map((use, index) => [use?.id, [{ type: "text", text: `${names[index]} ${index}` }]]),
    );
  });

test("a message that came meanwhile is part of the request that the same append begins", async () => {
  const { log, ended } = begin(["r", "r"]);
  await log.arrived.promise;
  log.message("and this");
  log.held.resolve();
  assert.deepEqual(await ended, { type: "end_turn" });
  assert.equal(log.types.filter((type) => type === "span.model_request_start").length, 2);
  assert.ok(log.events.every(({ processed_at }) => processed_at !== null));
});

test("reading calls that take long: the calls are announced with the results so far", async () => {
  const long = Promise.withResolvers<void>();
  let count = 0;
  const { log, ended } = begin(["r", "s"], {}, async () => {
    if (++count === 1) await long.promise;
  });
  await log.arrived.promise;
  log.held.resolve();
  await settled();
  long.resolve();
  assert.deepEqual(await ended, { type: "end_turn" });
  assert.deepEqual(log.appends.slice(1), [
    "tool_use tool_use model_request_end tool_result",
    "tool_result model_request_start",
    "message model_request_end",
  ]);
});

test("the last request that a turn may make: the append that has its results begins no other", async () => {
  for (const limit of [{ maxRequests: 1 }, { maxTokens: 1 }]) {
    const { log, ended } = begin(["r", "r"], limit);
    log.held.resolve();
    assert.deepEqual(await ended, { type: "max_turns" });
    assert.deepEqual(log.appends.slice(1), [`tool_use tool_use ${TOGETHER.replace(/ \S+$/, "")}`]);
  }
});

test("the announcement fails: what began is stopped, and nothing is appended", async () => {
  for (const error of [new LeaseLost(), new Error("the database is away")]) {
    const never = new Promise<void>(() => {});
    const { log, signals, allBegun, ended } = begin(["r", "r"], {}, () => never);
    await log.arrived.promise;
    await allBegun;
    log.held.reject(error);
    await assert.rejects(ended, error);
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true],
    );
    assert.ok(!log.types.some((type) => type.startsWith("agent.tool")));
  }
});

test("an interrupt while the calls are announced: each has a result, behind its announcement", async () => {
  const interrupt = new AbortController();
  const { log, ended } = begin(["r", "W"], { signal: interrupt.signal });
  await log.arrived.promise;
  interrupt.abort();
  log.held.resolve();
  assert.deepEqual(await ended, { type: "cancelled" });
  const types = log.types.filter((type) => type.startsWith("agent.tool"));
  assert.deepEqual(types, ["agent.tool_use", "agent.tool_use", "agent.tool_result", "agent.tool_result"]);
});
