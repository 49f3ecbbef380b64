import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sandbox } from "@berth/sandbox";
import { bash, grep, read } from "../../test-support/built-in-tools.ts";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { type ScriptedResponse, says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testAgent, testTurn } from "../../test-support/turn.ts";
import { assertValidMessages } from "../../test-support/valid-messages.ts";
import { foldHistory } from "../history/fold-history.ts";
import { ModelError, type ModelRequest } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import type { Tool } from "../tools/tool.ts";
import { write } from "../tools/write.ts";
import { runTurn } from "./run-turn.ts";

class Crash extends Error {}

/** Throws at one of its steps and at every later one. */
class Fuse {
  count = 0;
  readonly #dieAt: number;

  constructor(dieAt: number) {
    this.#dieAt = dieAt;
  }

  get dead(): boolean {
    return this.count >= this.#dieAt;
  }

  step(): void {
    this.count += 1;
    if (this.dead) throw new Crash();
  }
}

/** The number of times that the sandbox ran each command with effects, over all processes. */
type Effects = Map<string, number>;

/**
 * Responds by the history: four times with parallel calls, the last of which just read, once with a failure,
 * then with a text.
 */
function respondTo({ messages, failedAttempts }: ModelRequest): ScriptedResponse {
  const answers = messages.filter((message) => message.role === "assistant").length;
  if (answers === 0) {
    return {
      blocks: [
        { type: "thinking", text: "first", opaque: { signature: "s" } },
        toolCall("Bash", { command: "echo one" }),
        toolCall("Bash", { command: "echo two" }),
        toolCall("Write", { file_path: "three", content: "3" }),
        toolCall("Nope", {}),
      ],
    };
  }
  if (answers === 1 && failedAttempts === 0) {
    return { error: new ModelError("overloaded", "busy", { retryable: true }), after: [] };
  }
  if (answers === 1) return { blocks: [toolCall("Bash", { command: "echo four" })] };
  if (answers === 2) {
    return {
      blocks: [
        toolCall("Read", { file_path: "five" }),
        toolCall("Grep", { pattern: "six" }),
        toolCall("Bash", { command: "echo seven" }),
        toolCall("Read", { file_path: "eight" }),
      ],
    };
  }
  if (answers === 3)
    return { blocks: [toolCall("Read", { file_path: "nine" }), toolCall("Grep", { pattern: "ten" })] };
  return says("done");
}

/** Runs one process. There is a step before and after each of its effects. */
async function runProcess(log: MemoryLog, fuse: Fuse, effects: Effects): Promise<unknown> {
  log.onAppend = () => fuse.step();
  const inner = scriptedModel(respondTo);
  const model = {
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
  const sandbox: Sandbox = {
    id: "crash",
    run: (command) => runCommand(command, log, fuse, effects),
    placeFile: async () => true,
    removeFile: async () => true,
    mountSnapshot: async () => false,
    unmountSnapshot: async () => false,
    isUntouched: async () => false,
    connect: async () => ({ ok: false, reason: "failed" }),
    setEgress() {},
    processes: async () => 0,
    terminate: async () => {},
    close: async () => {},
    closed: new Promise(() => {}),
  };
  const end = runTurn(
    testTurn({
      log,
      model,
      tools: [bash, write, read, grep] satisfies Tool[],
      agent: testAgent,
      hasSandbox: () => true,
      sandbox: async () => {
        fuse.step();
        return sandbox;
      },
      environment: async () => {
        fuse.step();
        return {};
      },
      sleep: async () => fuse.step(),
    }),
  );
  return await end.catch((error: unknown) => error);
}

async function runCommand(command: Command, log: MemoryLog, fuse: Fuse, effects: Effects) {
  fuse.step();
  const key = command.environment?.FILE ?? command.script;
  if (!readsOnly(command)) {
    effects.set(key, (effects.get(key) ?? 0) + 1);
    const announced = JSON.stringify(log.events.filter((event) => event.type === "agent.tool_use"));
    if (!announced.includes(key.replace("/data/", ""))) effects.set(`${key} before its announcement`, 2);
  }
  await Promise.resolve();
  fuse.step();
  return {
    exitCode: 0,
    ended: "exit" as const,
    output: Buffer.from("created"),
    omittedBytes: 0,
    outputFile: null,
    cwd: "/data",
  };
}

type Command = Parameters<Sandbox["run"]>[0];

function readsOnly({ environment = {} }: Command): boolean {
  return "LIMIT" in environment || "ARGUMENT_1" in environment;
}

async function stepsOfWholeTurn(): Promise<number> {
  const log = new MemoryLog();
  log.message("go");
  const fuse = new Fuse(Number.POSITIVE_INFINITY);
  assert.deepEqual(await runProcess(log, fuse, new Map()), { type: "end_turn" });
  return fuse.count;
}

/** Asserts that every call ran at most once and has a result, and that no call or request is open. */
function assertSettled(log: MemoryLog, effects: Effects, context: string): void {
  for (const [effect, times] of effects) assert.equal(times, 1, `${effect} ran ${times} times, ${context}`);
  const history = foldHistory(log.entries);
  assert.deepEqual([history.openCalls, history.openRequest, history.responseDue], [[], null, false], context);
  assertValidMessages(history.messages);
  const announced = new Set<string>();
  for (const event of log.events) {
    if (event.type === "agent.tool_use") announced.add(event.id);
    if (event.type === "agent.tool_result") assert.ok(announced.has(event.tool_use_id), context);
  }
  const uses = log.events.filter((event) => event.type === "agent.tool_use");
  const results = log.events.filter((event) => event.type === "agent.tool_result");
  assert.deepEqual(
    results.map((result) => result.tool_use_id).sort(),
    uses.map((use) => use.id).sort(),
    context,
  );
  const starts = log.types.filter((type) => type === "span.model_request_start").length;
  const ends = log.types.filter((type) => type === "span.model_request_end").length;
  assert.equal(starts, ends, context);
}

test("crash at any step: the turn continues in another process and no call runs twice", async (t) => {
  const steps = await stepsOfWholeTurn();
  assert.ok(steps > 40, "the turn has steps to die at");
  let marked = 0;
  for (let dieAt = 1; dieAt <= steps; dieAt++) {
    const log = new MemoryLog();
    log.message("go");
    const effects: Effects = new Map();
    const first = await runProcess(log, new Fuse(dieAt), effects);
    assert.ok(first instanceof Crash, `the process dies at step ${dieAt}: ${JSON.stringify(first)}`);
    const second = await runProcess(log, new Fuse(Number.POSITIVE_INFINITY), effects);
    assert.deepEqual(second, { type: "end_turn" }, `after a death at step ${dieAt}`);
    assertSettled(log, effects, `after a death at step ${dieAt}`);
    marked += JSON.stringify(log.events).includes(notes.INTERRUPTED_CALL) ? 1 : 0;
  }
  assert.ok(marked > 5, "some deaths leave calls with an unknown outcome");
  t.diagnostic(`${steps} crash points, ${marked} of them left interrupted calls`);
});

test("two crashes at every pair of steps: the turn still ends and no call runs twice", async (t) => {
  const steps = await stepsOfWholeTurn();
  let pairs = 0;
  for (let first = 1; first <= steps; first += 2) {
    for (let second = 1; second <= 14; second++) {
      const log = new MemoryLog();
      log.message("go");
      const effects: Effects = new Map();
      await runProcess(log, new Fuse(first), effects);
      await runProcess(log, new Fuse(second), effects);
      const last = await runProcess(log, new Fuse(Number.POSITIVE_INFINITY), effects);
      assert.deepEqual(last, { type: "end_turn" }, `deaths at ${first} and ${second}`);
      assertSettled(log, effects, `deaths at ${first} and ${second}`);
      pairs += 1;
    }
  }
  t.diagnostic(`${pairs} pairs`);
});
