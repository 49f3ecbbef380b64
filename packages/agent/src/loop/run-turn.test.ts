import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventOf, SessionEventType } from "@berth/contract";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testAgent, testTool, testTurn } from "../../test-support/turn.ts";
import { LeaseLost } from "../history/log.ts";
import type { Draft } from "../history/log-entry.ts";
import { ModelError } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import type { PreviewPiece } from "../requests/response-preview.ts";
import { failure, type Tool, textResult } from "../tools/tool.ts";
import { runTurn } from "./run-turn.ts";
import type { Turn } from "./turn.ts";

function logWith(...messages: string[]): MemoryLog {
  const log = new MemoryLog();
  for (const message of messages) log.message(message);
  return log;
}

function eventsOf<Type extends SessionEventType>(log: MemoryLog, type: Type): EventOf<Type>[] {
  return log.events.filter((event): event is EventOf<Type> => event.type === type);
}

function resultTexts(log: MemoryLog): string[] {
  return eventsOf(log, "agent.tool_result").map(({ content }) =>
    content.map((block) => (block.type === "text" ? block.text : "image")).join(""),
  );
}

test("turn: a message, parallel calls, their results, the response", async () => {
  const log = logWith("hello");
  const first = Promise.withResolvers<void>();
  const echo = testTool("Echo", async (text) => {
    if (text === "one") await first.promise;
    else first.resolve();
    return textResult(text.toUpperCase());
  });
  const calls = [toolCall("Echo", { text: "one" }), toolCall("Echo", { text: "two" })];
  const model = scriptedModel([
    { blocks: [{ type: "thinking", text: "hm", opaque: { signature: "s" } }, ...calls] },
    says("done"),
  ]);
  const seen: PreviewPiece[] = [];
  const preview = (piece: PreviewPiece) => void seen.push(piece);
  assert.deepEqual(await runTurn(testTurn({ log, model, tools: [echo], preview })), { type: "end_turn" });
  assert.deepEqual(log.types, [
    "user.message",
    "span.model_request_start",
    "agent.thinking",
    "agent.tool_use",
    "agent.tool_use",
    "span.model_request_end",
    "agent.tool_result",
    "agent.tool_result",
    "span.model_request_start",
    "agent.message",
    "span.model_request_end",
  ]);
  const starts = log.entries.filter(({ event }) => event.type === "span.model_request_start");
  const shown = log.entries.filter(({ event }) => /^agent.(thinking|message)$/.test(event.type));
  assert.deepEqual(
    seen,
    shown.map(({ event: { id, type } }, index) => ({
      requestId: starts[index]?.event.id,
      eventId: id,
      type,
      offset: 0,
      text: index === 0 ? "" : "done",
    })),
    "what is shown has the ids of what is stored",
  );
  assert.deepEqual(resultTexts(log), ["TWO", "ONE"], "results are stored as they come");
  assert.deepEqual(model.requests[1]?.messages.slice(1), [
    {
      role: "assistant",
      content: [{ type: "thinking", text: "hm", opaque: { signature: "s" } }, ...calls],
    },
    {
      role: "tool",
      content: ["ONE", "TWO"].map((text, index) => ({
        id: calls[index]?.type === "tool_call" ? calls[index].id : "",
        name: "Echo",
        content: [{ type: "text", text }],
        isError: false,
      })),
    },
  ]);
  assert.equal(model.requests[0]?.system, model.requests[1]?.system);
});

/** A log that records the event types of each write. */
class WrittenLog extends MemoryLog {
  readonly writes: string[] = [];
  isEnding = (): boolean => false;

  override append(drafts: readonly Draft[]) {
    this.writes.push(typesOf(drafts));
    return super.append(drafts);
  }

  override appendTakingInputs(drafts: readonly Draft[]) {
    this.writes.push(typesOf(drafts));
    return super.appendTakingInputs(drafts);
  }
}

function typesOf(drafts: readonly Draft[]): string {
  return drafts.map(({ event }) => event.type.replace(/^(agent|span)\./, "")).join(" ");
}

const ANSWERED = "message model_request_end";

test("calls: the last result and the start of the next request are one write", async () => {
  const log = new WrittenLog();
  log.message("hello");
  const calls = [
    toolCall("Echo", { text: "one" }),
    toolCall("Nothing", {}),
    toolCall("Echo", { text: "two" }),
  ];
  const model = scriptedModel([
    { blocks: calls },
    { blocks: [toolCall("Echo", { text: "three" })] },
    says("done"),
  ]);
  assert.deepEqual(await runTurn(testTurn({ log, model, tools: [testTool("Echo")] })), { type: "end_turn" });
  assert.deepEqual(log.writes, [
    "model_request_start",
    "tool_use tool_use tool_use model_request_end",
    "tool_result",
    "tool_result",
    "tool_result model_request_start",
    "tool_use model_request_end",
    "tool_result model_request_start",
    ANSWERED,
  ]);
  assert.equal(model.requests.length, 3);
});

test("calls: the last result is written alone where no request is to follow it", async () => {
  const echo = testTool("Echo");
  const uses = { blocks: [toolCall("Echo", { text: "one" })] };
  const run = async (parts: Partial<Turn>, log = new WrittenLog()) => {
    log.message("hello");
    const model = scriptedModel([uses, says("done")]);
    const { type } = await runTurn(testTurn({ log, model, tools: [echo], ...parts }));
    return [type, ...log.writes.slice(2)];
  };
  assert.deepEqual(await run({ maxRequests: 1 }), ["max_turns", "tool_result"]);
  const stop = new AbortController();
  const stopping = testTool("Echo", () => {
    stop.abort();
    return textResult("one");
  });
  assert.deepEqual(await run({ signal: stop.signal, tools: [stopping] }), ["cancelled", "tool_result"]);
  const ending = new WrittenLog();
  ending.isEnding = () => true;
  assert.deepEqual(await run({}, ending), ["end_turn", "tool_result", "model_request_start", ANSWERED]);
});

test("calls: one waits for a client → the results of the others are written alone", async () => {
  const log = new WrittenLog();
  log.message("hello");
  const asked: Tool = { ...testTool("Asked"), permission: "always_ask" };
  const model = scriptedModel([
    { blocks: [toolCall("Echo", { text: "one" }), toolCall("Asked", { text: "two" })] },
  ]);
  const { type } = await runTurn(testTurn({ log, model, tools: [testTool("Echo"), asked] }));
  assert.deepEqual([type, ...log.writes.slice(2)], ["requires_action", "tool_result"]);
});

test("calls: at most eight run at a time", async () => {
  let running = 0;
  let most = 0;
  const tool = testTool("Count", async (text) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return textResult(text);
  });
  const blocks = Array.from({ length: 30 }, (_, index) => toolCall("Count", { text: String(index) }));
  const log = logWith("go");
  await runTurn(testTurn({ log, model: scriptedModel([{ blocks }, says("ok")]), tools: [tool] }));
  assert.equal(most, 8);
  assert.equal(resultTexts(log).length, 30);
});

test("calls: unknown tools, denied tools and invalid input → not run, with an error result", async () => {
  let runs = 0;
  const tool = testTool("Echo", () => {
    runs += 1;
    return textResult("ran");
  });
  const denied = testTool("Bash", () => {
    runs += 1;
    return textResult("ran");
  });
  const policy = { type: "always_deny" as const };
  const agent = {
    ...testAgent,
    tools: [
      {
        type: "agent_toolset_20260401" as const,
        enabled_tools: ["Bash" as const],
        configs: [{ name: "Bash" as const, enabled: true, permission_policy: policy }],
      },
    ],
  };
  const blocks = [
    toolCall("Nope", { text: "x" }),
    toolCall("Echo", { txt: "x" }),
    toolCall("Bash", { text: "x" }),
  ];
  const log = logWith("go");
  const model = scriptedModel([{ blocks }, says("ok")]);
  await runTurn(testTurn({ agent, log, model, tools: [tool, denied] }));
  assert.equal(runs, 0);
  const permissions = eventsOf(log, "agent.tool_use").map((event) => event.evaluated_permission);
  assert.deepEqual(permissions, ["deny", "allow", "deny"]);
  const [unknown = "", unfit = "", refused = ""] = resultTexts(log);
  assert.match(unknown, /no tool named 'Nope'.*Echo, Bash/);
  assert.match(unfit, /does not fit the tool Echo[\s\S]*txt/);
  assert.match(refused, /Bash is denied/);
  assert.ok(eventsOf(log, "agent.tool_result").every((event) => event.is_error));
});

test("calls: a tool that rejects → an error result, and the turn continues", async () => {
  const log = logWith("go");
  const broken = testTool("Broken", () => Promise.reject(new Error("no disk")));
  const model = scriptedModel([{ blocks: [toolCall("Broken", { text: "x" })] }, says("ok")]);
  const end = await runTurn(testTurn({ log, model, tools: [broken] }));
  assert.deepEqual(end, { type: "end_turn" });
  assert.deepEqual(resultTexts(log), ["The tool failed: no disk"]);
});

for (const [kind, type] of [
  ["authentication", "model_authentication_error"],
  ["not_found", "model_not_found_error"],
  ["request_failed", "model_request_failed_error"],
] as const) {
  test(`failed request: ${kind} is not retried`, async () => {
    const log = logWith("go");
    const model = scriptedModel([{ error: new ModelError(kind, "no", { retryable: false }) }]);
    assert.deepEqual(await runTurn(testTurn({ log, model })), { type: "retries_exhausted" });
    const error = { type, message: "no", retry_status: { type: "terminal" } };
    assert.deepEqual(eventsOf(log, "session.error")[0]?.error, error);
  });
}

test("response without a finish: a failure that is retried", async () => {
  const log = logWith("go");
  const whole = scriptedModel([says("whole")]);
  let cut = true;
  const model = {
    ...whole,
    async *stream(...given: Parameters<typeof whole.stream>) {
      for await (const part of whole.stream(...given)) if (part.type !== "finish" || !cut) yield part;
    },
  };
  const sleep = async () => {
    cut = false;
    whole.requests.length = 0;
  };
  assert.deepEqual(await runTurn(testTurn({ log, model, sleep })), { type: "end_turn" });
  assert.equal(eventsOf(log, "agent.message").length, 1);
});

test("truncated response: its text is kept, its calls are dropped, the model gets a note; three in a row end the turn", async () => {
  const log = logWith("go");
  let runs = 0;
  const tool = testTool("Echo", () => {
    runs += 1;
    return textResult("");
  });
  const cut = {
    blocks: [{ type: "text" as const, text: "so far" }, toolCall("Echo", { text: "x" })],
    reason: "max_tokens" as const,
  };
  const model = scriptedModel([cut, cut, cut]);
  assert.deepEqual(await runTurn(testTurn({ log, model, tools: [tool] })), { type: "max_turns" });
  assert.equal(runs, 0);
  assert.equal(eventsOf(log, "agent.tool_use").length, 0);
  assert.deepEqual(model.requests[1]?.messages.slice(1), [
    { role: "assistant", content: [{ type: "text", text: "so far" }] },
    { role: "user", content: [{ type: "text", text: notes.TRUNCATED_RESPONSE }] },
  ]);
});

test("turn: a refusal ends it", async () => {
  const log = logWith("go");
  const model = scriptedModel([{ blocks: [], reason: "refusal" }]);
  assert.deepEqual(await runTurn(testTurn({ log, model })), { type: "refusal" });
});

test("turn: the number of requests is limited", async () => {
  const log = logWith("go");
  const model = scriptedModel(() => ({ blocks: [toolCall("Echo", { text: "on" })] }));
  const end = await runTurn(testTurn({ log, model, tools: [testTool("Echo")], maxRequests: 3 }));
  assert.deepEqual(end, { type: "max_turns" });
  assert.equal(model.requests.length, 3);
});

test("turn: a message during calls follows their results; a message at the end continues the turn", async () => {
  const log = logWith("go");
  const tool = testTool("Echo", (text) => {
    log.message("meanwhile");
    return textResult(text);
  });
  const model = scriptedModel((_, index) => {
    if (index === 0) return { blocks: [toolCall("Echo", { text: "x" })] };
    if (index === 1) log.message("one more");
    return says(`answer ${index}`);
  });
  assert.deepEqual(await runTurn(testTurn({ log, model, tools: [tool] })), { type: "end_turn" });
  assert.equal(model.requests.length, 3);
  assert.deepEqual(
    model.requests[2]?.messages.map((message) => message.role),
    ["user", "assistant", "tool", "user", "assistant", "user"],
  );
});

test("interrupt: a model request ends at once, even if the model ignores the signal", async () => {
  const log = logWith("go");
  const stop = new AbortController();
  const started = Promise.withResolvers<void>();
  const deaf = {
    ...scriptedModel([]),
    async *stream() {
      started.resolve();
      await new Promise(() => {});
    },
  };
  const turn = runTurn(testTurn({ log, model: deaf, signal: stop.signal }));
  await started.promise;
  stop.abort();
  assert.deepEqual(await turn, { type: "cancelled" });
  assert.equal(eventsOf(log, "span.model_request_end")[0]?.is_error, true);
});

test("interrupt: running calls stop, each has a result, and the next message has a note", async () => {
  const log = logWith("go");
  const stop = new AbortController();
  const slow = testTool("Slow", async (_, signal) => {
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    log.send({ type: "user.interrupt" });
    stop.abort();
    await aborted;
    return failure("stopped half-way");
  });
  const blocks = [
    toolCall("Slow", { text: "1" }),
    ...Array.from({ length: 9 }, () => toolCall("Slow", { text: "2" })),
  ];
  const model = scriptedModel([{ blocks }, says("again")]);
  const cancelled = await runTurn(testTurn({ log, model, tools: [slow], signal: stop.signal }));
  assert.deepEqual(cancelled, { type: "cancelled" });
  assert.equal(resultTexts(log).length, 10);
  assert.ok(resultTexts(log).includes(notes.NOT_STARTED_CALL));
  assert.deepEqual(
    await runTurn(testTurn({ log, model })),
    { type: "cancelled" },
    "nothing is owed after it",
  );
  log.message("now this");
  assert.deepEqual(await runTurn(testTurn({ log, model })), { type: "end_turn" });
  assert.deepEqual(model.requests.at(-1)?.messages.at(-1), {
    role: "user",
    content: [
      { type: "text", text: notes.USER_INTERRUPTED },
      { type: "text", text: "now this" },
    ],
  });
});

test("lost lease: an append that rejects with it ends the turn, and nothing more is appended", async () => {
  const log = logWith("go");
  let stopped = 0;
  const slow = testTool("Slow", async (text, signal) => {
    if (text === "fast") return textResult("fast");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    stopped += 1;
    return textResult("late");
  });
  const blocks = [
    toolCall("Slow", { text: "fast" }),
    toolCall("Slow", { text: "x" }),
    toolCall("Slow", { text: "y" }),
  ];
  const model = scriptedModel([{ blocks }]);
  let appends = 0;
  log.onAppend = (durable) => {
    appends += durable ? 0 : 1;
    if (appends >= 3) throw new LeaseLost();
  };
  await assert.rejects(runTurn(testTurn({ log, model, tools: [slow] })), LeaseLost);
  assert.equal(eventsOf(log, "agent.tool_result").length, 0);
  assert.equal(appends, 3, "no append follows the one that was rejected");
  assert.equal(stopped, 2);
});

test("lost lease: a signal that aborts with it ends the turn without an append", async () => {
  const log = logWith("go");
  const stop = new AbortController();
  const model = scriptedModel(() => {
    stop.abort(new LeaseLost());
    return { hangs: true };
  });
  await assert.rejects(runTurn(testTurn({ log, model, signal: stop.signal })), LeaseLost);
  assert.equal(log.types.at(-1), "span.model_request_start");
});

test("turn: with nothing to do, no request is made", async () => {
  const log = logWith("go");
  const model = scriptedModel([says("done")]);
  await runTurn(testTurn({ log, model }));
  assert.deepEqual(await runTurn(testTurn({ log, model })), { type: "end_turn" });
  assert.equal(model.requests.length, 1);
});

test("calls: a very long result is truncated to a quarter of the window", async () => {
  const log = logWith("go");
  const tool = testTool("Echo", () => textResult("x".repeat(100_000)));
  const model = scriptedModel([{ blocks: [toolCall("Echo", { text: "x" })] }, says("ok")], {
    contextWindow: 20_000,
  });
  await runTurn(testTurn({ log, model, tools: [tool] }));
  const [text = ""] = resultTexts(log);
  assert.ok(text.length <= 20_000 && text.length > 19_000);
  assert.match(text, /characters left out/);
});
