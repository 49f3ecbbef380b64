// Subject: Explore calls of a turn: what their nested loops ask and log, what the agent sees of them, and how
// they end.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventOf, SessionEvent } from "@berth/contract";
import { exploringAgent, exploringTurn } from "../../test-support/explore.ts";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { type ScriptedResponse, says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testTool, testTurn } from "../../test-support/turn.ts";
import { assertValidMessages } from "../../test-support/valid-messages.ts";
import { foldHistory } from "../history/fold-history.ts";
import { LeaseLost } from "../history/log.ts";
import { parentCallOf } from "../history/nested-events.ts";
import { runTurn } from "../loop/run-turn.ts";
import { ModelError, type ModelMessage } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { explore } from "../tools/explore.ts";

const read = testTool("Read", (text) => ({
  content: [{ type: "text", text: `read ${text}` }],
  isError: false,
}));
const grep = testTool("Grep");
const ask = (question: string, more: object = {}) => toolCall("Explore", { question, ...more });

test("a path → named after the question, absolute", async () => {
  for (const [path, absolute] of [
    ["src", "/data/src"],
    ["/mnt/session/uploads/a.txt", "/mnt/session/uploads/a.txt"],
    ["shop/../app/", "/data/app"],
  ] as const) {
    const exploreModel = scriptedModel([says("x")]);
    const model = scriptedModel([{ blocks: [ask("Where?", { path })] }, says("Done.")]);
    await runTurn(exploringTurn({ log: logOf(), model, exploreModel, searches: [read] }));
    assert.equal(questionOf(exploreModel.requests[0]?.messages ?? []), `Where?\n\nBegin at ${absolute}.`);
  }
});

function asking(...questions: string[]) {
  return scriptedModel([{ blocks: questions.map((question) => ask(question)) }, says("Done.")]);
}

function logOf(text = "go"): MemoryLog {
  const log = new MemoryLog();
  log.message(text);
  return log;
}

function results(log: MemoryLog): EventOf<"agent.tool_result">[] {
  return log.events.filter((event) => event.type === "agent.tool_result");
}

/** Returns the text of the result of the only Explore call. */
function answer(log: MemoryLog): { text: string; isError: boolean } {
  const [result, ...more] = results(log).filter((event) => parentCallOf(event) === null);
  assert.deepEqual(more, []);
  const [block] = result?.content ?? [];
  assert.ok(block?.type === "text");
  return { text: block.text, isError: result?.is_error === true };
}

function types(events: readonly SessionEvent[]): string[] {
  return events.map((event) => `${parentCallOf(event) === null ? "" : "  "}${event.type}`);
}

test("a question → a loop of its own; the agent gets the answer, and no byte of the way to it", async () => {
  const model = asking("Where is the tax?");
  const cheap = {
    ...scriptedModel([
      { blocks: [toolCall("Read", { text: "a.ts" }), toolCall("Grep", { text: "tax" })] },
      says("src/tax.ts:3"),
    ]),
    id: "scripted/cheap",
  };
  const log = logOf();
  const end = await runTurn(exploringTurn({ log, model, exploreModel: cheap, searches: [read, grep] }));
  assert.deepEqual(end, { type: "end_turn" });
  assert.deepEqual(answer(log), { text: "src/tax.ts:3", isError: false });
  assert.deepEqual(types(log.events), [
    "user.message",
    "span.model_request_start",
    "agent.tool_use",
    "span.model_request_end",
    "  span.model_request_start",
    "  agent.tool_use",
    "  agent.tool_use",
    "  span.model_request_end",
    "  agent.tool_result",
    "  agent.tool_result",
    "  span.model_request_start",
    "  agent.message",
    "  span.model_request_end",
    "agent.tool_result",
    "span.model_request_start",
    "agent.message",
    "span.model_request_end",
  ]);
  const call = log.events.find((event) => event.type === "agent.tool_use");
  for (const event of log.events) assert.ok([null, call?.id].includes(parentCallOf(event)));
  const started = log.events.filter((event) => event.type === "span.model_request_start");
  assert.deepEqual(
    started.map((event) => event.model),
    ["scripted/model", "scripted/cheap", "scripted/cheap", "scripted/model"],
  );
  assert.ok(!JSON.stringify(model.requests).includes("read a.ts"));
  for (const { messages } of [...model.requests, ...cheap.requests]) assertValidMessages(messages);
  const [first] = cheap.requests[0]?.messages ?? [];
  assert.deepEqual(first, {
    role: "user",
    content: [{ type: "text", text: "Where is the tax?" }],
  });
  assert.deepEqual(
    cheap.requests.map(({ tools }) => tools.map(({ name }) => name)),
    [
      ["Read", "Grep"],
      ["Read", "Grep"],
    ],
  );
});

test("what a loop begins with is the same bytes for every question and agent, and does not name the workspace", async () => {
  const prefixes = new Set<string>();
  for (const [question, system] of [
    ["one", "You are A."],
    ["two", "You are B."],
  ] as const) {
    const cheap = scriptedModel([says("x")]);
    const agent = { ...exploringAgent(), system };
    const turn = exploringTurn({
      log: logOf(),
      agent,
      model: asking(question),
      exploreModel: cheap,
      searches: [read],
    });
    await runTurn({ ...turn, workspaceDescription: `The workspace of ${question}.` });
    const [{ system: sent, tools } = { system: "", tools: [] }] = cheap.requests;
    prefixes.add(JSON.stringify([sent, tools]));
  }
  assert.equal(prefixes.size, 1);
});

test("the fold of a log with loops is that of the log without them, and costs the agent nothing of its counts", async () => {
  const log = logOf();
  const model = asking("one", "two", "three");
  const cheap = scriptedModel(({ messages }) =>
    messages.length === 1 ? { blocks: [toolCall("Read", { text: "a" })] } : says("found"),
  );
  await runTurn(exploringTurn({ log, model, exploreModel: cheap, searches: [read] }));
  const own = log.entries.filter(({ event }) => parentCallOf(event) === null);
  assert.ok(own.length < log.entries.length);
  for (let length = 0; length <= log.entries.length; length++) {
    const part = log.entries.slice(0, length);
    const { openParts: _, ...folded } = foldHistory(part);
    const { openParts: none, ...without } = foldHistory(
      part.filter(({ event }) => parentCallOf(event) === null),
    );
    assert.deepEqual(folded, without, `the first ${length} entries`);
    assert.deepEqual(none, []);
  }
  assert.equal(foldHistory(log.entries).responses, 2);
});

test("three questions in one answer → three loops side by side, each with its own events", async () => {
  const log = logOf();
  const all = Promise.withResolvers<void>();
  let running = 0;
  const meeting = testTool("Read", async (text) => {
    running += 1;
    if (running === 3) all.resolve();
    await all.promise;
    return { content: [{ type: "text", text }], isError: false };
  });
  const cheap = scriptedModel(({ messages }) => {
    const text = questionOf(messages);
    return messages.length === 1 ? { blocks: [toolCall("Read", { text })] } : says(`${text}!`);
  });
  const model = asking("one", "two", "three");
  await runTurn(exploringTurn({ log, model, exploreModel: cheap, searches: [meeting] }));
  const calls = log.events.filter((event) => event.type === "agent.tool_use" && parentCallOf(event) === null);
  for (const [index, question] of ["one", "two", "three"].entries()) {
    const call = calls[index]?.id ?? assert.fail();
    const nested = log.events.filter((event) => parentCallOf(event) === call);
    assert.deepEqual(
      types(nested).map((type) => type.trim()),
      [
        "span.model_request_start",
        "agent.tool_use",
        "span.model_request_end",
        "agent.tool_result",
        "span.model_request_start",
        "agent.message",
        "span.model_request_end",
      ],
    );
    const result = results(log).find((event) => event.tool_use_id === call);
    assert.deepEqual(result?.content, [{ type: "text", text: `${question}!` }]);
  }
});

function questionOf([first]: readonly ModelMessage[]): string {
  const block = first?.content.at(-1);
  return block !== undefined && "text" in block ? block.text : "";
}

const MORE: ScriptedResponse = { blocks: [toolCall("Read", { text: "more" })] };

test("the budget of requests ends → one more in which no call runs; the result says so", async () => {
  for (const [maxRequests, rounds] of [
    [2, 1],
    [4, 3],
    [7, 6],
  ] as const) {
    const log = logOf();
    let ran = 0;
    const counted = testTool("Read", () => {
      ran += 1;
      return { content: [{ type: "text", text: "x" }], isError: false };
    });
    const cheap = scriptedModel(({ messages }) =>
      lastText(messages) === notes.ANSWER_NOW ? says("As far as I got.") : MORE,
    );
    const agent = exploringAgent({ max_requests: maxRequests });
    await runTurn(
      exploringTurn({ log, agent, model: asking("q"), exploreModel: cheap, searches: [counted] }),
    );
    assert.deepEqual([cheap.requests.length, ran], [maxRequests, rounds]);
    assert.deepEqual(answer(log), {
      text: `As far as I got.\n[Its budget of ${maxRequests} requests and 500000 tokens ended before it was done.]`,
      isError: false,
    });
    const [before, last] = cheap.requests.slice(-2);
    assert.deepEqual(last?.tools, before?.tools);
    assert.equal(last?.system, before?.system);
  }
});

function lastText(messages: readonly ModelMessage[]): string {
  const block = messages.at(-1)?.content.at(-1);
  return block !== undefined && "text" in block ? block.text : "";
}

test("the budget of tokens ends → the same, whatever is left of the requests", async () => {
  const log = logOf();
  const long = testTool("Read", () => ({
    content: [{ type: "text", text: "x".repeat(30_000) }],
    isError: false,
  }));
  const cheap = scriptedModel(({ messages }) =>
    lastText(messages) === notes.ANSWER_NOW ? says("Enough.") : MORE,
  );
  const agent = exploringAgent({ max_tokens: 10_000 });
  await runTurn(exploringTurn({ log, agent, model: asking("q"), exploreModel: cheap, searches: [long] }));
  assert.equal(cheap.requests.length, 4);
  assert.match(
    answer(log).text,
    /^Enough\.\n\[Its budget of 25 requests and 10000 tokens ended before it was done\.\]$/,
  );
});

test("calls in the last request are denied, and without a text there is no answer", async () => {
  const log = logOf();
  let ran = 0;
  const counted = testTool("Read", () => {
    ran += 1;
    return { content: [{ type: "text", text: "x" }], isError: false };
  });
  const agent = exploringAgent({ max_requests: 3 });
  const model = asking("q");
  await runTurn(
    exploringTurn({ log, agent, model, exploreModel: scriptedModel(() => MORE), searches: [counted] }),
  );
  assert.equal(ran, 2);
  const { text, isError } = answer(log);
  assert.equal(isError, true);
  assert.match(text, /^Explore ended without an answer\. Its budget of 3 requests/);
  const denied = log.events.filter(
    (event) => event.type === "agent.tool_use" && event.evaluated_permission === "deny",
  );
  assert.equal(denied.length, 1);
  assert.equal(model.requests.length, 2);
});

test("its requests do not count for the agent's max_model_requests", async () => {
  const log = logOf();
  const agent = { ...exploringAgent(), max_model_requests: 2 };
  const cheap = scriptedModel(({ messages }) => (messages.length < 9 ? MORE : says("found")));
  const end = await runTurn(
    exploringTurn({ log, agent, model: asking("q"), exploreModel: cheap, searches: [read] }),
  );
  assert.deepEqual(end, { type: "end_turn" });
  assert.equal(cheap.requests.length, 5);
});

test("an answer is cut at max_result_bytes, between characters, and says how long it was", async () => {
  for (const [text, shown] of [
    ["a".repeat(1_500), "a".repeat(1_000)],
    ["é".repeat(900), "é".repeat(500)],
    [`x${"€".repeat(600)}`, `x${"€".repeat(333)}`],
  ] as const) {
    const log = logOf();
    const agent = exploringAgent({ max_result_bytes: 1_000 });
    const exploreModel = scriptedModel([says(text)]);
    await runTurn(exploringTurn({ log, agent, model: asking("q"), exploreModel, searches: [read] }));
    const bytes = Buffer.byteLength(text);
    assert.equal(
      answer(log).text,
      `${shown}\n[The answer has ${bytes} bytes and is cut off here: ask for less at a time.]`,
    );
  }
});

test("the output limit cuts an answer → all its pieces; cut three times, what there is, and the result says so", async () => {
  const cut = (text: string): ScriptedResponse => ({
    blocks: [{ type: "text", text }],
    reason: "max_tokens",
  });
  const note = "[Its model reached its output limit, so this may not be all.]";
  const cases: [ScriptedResponse[], string][] = [
    [[cut("src/ta"), says("x.ts:3")], "src/tax.ts:3"],
    [[MORE, cut("one, "), cut("two, "), says("three")], "one, two, three"],
    [[cut("I look."), MORE, says("found")], "found"],
    [[cut("a"), cut("b"), cut("c")], `abc\n${note}`],
    [[MORE, cut(""), cut(""), cut("")], `Explore ended without an answer. ${note.slice(1, -1)}`],
  ];
  for (const [responses, text] of cases) {
    const log = logOf();
    const exploreModel = scriptedModel(responses);
    await runTurn(exploringTurn({ log, model: asking("q"), exploreModel, searches: [read] }));
    assert.equal(answer(log).text, text);
    assert.equal(exploreModel.requests.length, responses.length);
  }
});

test("the agent's own model has the agent's effort in a loop, and another has its default", async () => {
  for (const [effort, id, sent] of [
    ["low", undefined, "low"],
    ["max", "scripted/model", "max"],
    ["high", "scripted/cheap", undefined],
    [undefined, undefined, undefined],
  ] as const) {
    const exploring = exploringAgent(id === undefined ? {} : { model: id });
    const agent = { ...exploring, model: { ...exploring.model, ...(effort && { effort }) } };
    const exploreModel = scriptedModel([says("x")]);
    await runTurn(exploringTurn({ log: logOf(), agent, model: asking("q"), exploreModel, searches: [read] }));
    assert.equal(exploreModel.requests[0]?.effort, sent);
  }
});

test("nothing to search with, no such model, no loops in this process → one sentence, and no request", async () => {
  const agent = exploringAgent({ model: "gone/model" });
  const silent = scriptedModel([]);
  const cases: [ReturnType<typeof exploringTurn>, RegExp][] = [
    [
      exploringTurn({ log: logOf(), model: asking("q"), exploreModel: silent, searches: [] }),
      /^Explore did not run: it searches with Read, Grep and Glob/,
    ],
    [
      exploringTurn({ log: logOf(), agent, model: asking("q"), exploreModel: null, searches: [read] }),
      /^Explore did not run: there is no model 'gone\/model' here\.$/,
    ],
    [testTurn({ log: logOf(), model: asking("q"), tools: [explore] }), /^Explore cannot run here\.$/],
  ];
  for (const [turn, message] of cases) {
    await runTurn(turn);
    assert.ok(turn.log instanceof MemoryLog);
    const { text, isError } = answer(turn.log);
    assert.match(text, message);
    assert.equal(isError, true);
    assert.ok(turn.log.events.every((event) => parentCallOf(event) === null));
  }
});

test("its model fails for good, refuses, or fails a while → the sentence, the refusal, the answer", async () => {
  const cases: [ScriptedResponse[], RegExp, string[]][] = [
    [
      [{ error: new ModelError("authentication", "The key is wrong.", { retryable: false }) }],
      /^Explore failed: The key is wrong\.$/,
      ["  session.error"],
    ],
    [
      [{ blocks: [{ type: "text", text: "No." }], reason: "refusal" }],
      /^Explore ended: its model refused/,
      [],
    ],
    [
      [{ error: new ModelError("overloaded", "Busy.", { retryable: true }) }, says("found")],
      /^found$/,
      ["  session.error"],
    ],
  ];
  for (const [responses, text, errors] of cases) {
    const log = logOf();
    const model = asking("q");
    const exploreModel = scriptedModel(responses);
    const end = await runTurn(exploringTurn({ log, model, exploreModel, searches: [read] }));
    assert.deepEqual(end, { type: "end_turn" });
    assert.match(answer(log).text, text);
    assert.deepEqual(
      types(log.events).filter((type) => type.includes("error")),
      errors,
    );
    assert.ok(!log.types.includes("session.status_rescheduled"));
    assert.equal(log.types.at(-1), "span.model_request_end");
  }
});

test("an interrupt ends what the loop does, then the call, then the turn", async () => {
  for (const at of ["request", "call"] as const) {
    const log = logOf();
    const interrupt = new AbortController();
    const begun = Promise.withResolvers<void>();
    const stuck = testTool("Read", async (_, signal) => {
      begun.resolve();
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      throw new Error("It waits until it is stopped.");
    });
    const hanging = scriptedModel((): ScriptedResponse => {
      begun.resolve();
      return { hangs: true };
    });
    const exploreModel = at === "request" ? hanging : scriptedModel([MORE]);
    const turn = exploringTurn({
      log,
      model: asking("q"),
      exploreModel,
      searches: [stuck],
      signal: interrupt.signal,
    });
    const ended = runTurn(turn);
    await begun.promise;
    interrupt.abort();
    assert.deepEqual(await ended, { type: "cancelled" });
    assert.deepEqual(types(log.events).slice(4), [
      "  span.model_request_start",
      ...(at === "call" ? ["  agent.tool_use"] : []),
      "  span.model_request_end",
      ...(at === "call" ? ["  agent.tool_result"] : []),
      "agent.tool_result",
    ]);
    assert.deepEqual(answer(log), { text: notes.STOPPED_CALL, isError: true });
    assert.deepEqual(foldHistory(log.entries).openParts, []);
  }
});

test("the lease is lost in a loop → nothing more is appended", async () => {
  const log = logOf();
  const lost = new AbortController();
  const taking = testTool("Read", () => {
    lost.abort(new LeaseLost());
    return { content: [{ type: "text", text: "x" }], isError: false };
  });
  const turn = exploringTurn({
    log,
    model: asking("q"),
    exploreModel: scriptedModel([MORE, says("late")]),
    searches: [taking],
    signal: lost.signal,
  });
  await assert.rejects(runTurn(turn), LeaseLost);
  assert.deepEqual(types(log.events).slice(4), [
    "  span.model_request_start",
    "  agent.tool_use",
    "  span.model_request_end",
  ]);
});

test("another call beside it ends, and follows nothing of the loop", async () => {
  const log = logOf();
  const model = scriptedModel([
    { blocks: [toolCall("Echo", { text: "a" }), ask("q"), toolCall("Echo", { text: "b" })] },
    says("Done."),
  ]);
  const exploreModel = scriptedModel([MORE, says("found")]);
  await runTurn(exploringTurn({ log, model, exploreModel, tools: [testTool("Echo")], searches: [read] }));
  const [, second] = model.requests;
  assert.deepEqual(
    second?.messages.at(-1)?.content.map((block) => ("content" in block ? block.content : null)),
    ["a", "found", "b"].map((text) => [{ type: "text", text }]),
  );
});
