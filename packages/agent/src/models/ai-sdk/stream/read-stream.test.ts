import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { ask, continued, exchange, modelErrorOf } from "../../../../test-support/models/exchange.ts";
import { kinds, modelAt } from "../../../../test-support/models/providers.ts";
import {
  events,
  messages,
  type RawAnswer,
  startRawServer,
} from "../../../../test-support/models/raw-server.ts";
import type { ProviderKind } from "../provider.ts";

async function start(test: TestContext, kind: ProviderKind, ...answers: (RawAnswer | string)[]) {
  const server = await startRawServer();
  test.after(() => server.close());
  server.answer(...answers.map((answer) => (typeof answer === "string" ? { body: answer } : answer)));
  return { server, model: modelAt(server.baseUrl, kind) };
}

async function read(test: TestContext, kind: ProviderKind, answer: RawAnswer | string) {
  const { model } = await start(test, kind, answer);
  return exchange(model, ask("Hello"));
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});
const call = {
  index: 0,
  id: "call_1",
  type: "function",
  function: { name: "Look", arguments: '{"at":"x"}' },
};

const messageStart = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    usage: { input_tokens: 5, output_tokens: 1 },
  },
};
const messageEnd = (stop_reason: string) => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 3 } },
  { type: "message_stop" },
];
const blockStart = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const blockDelta = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
const blockStop = (index: number) => ({ type: "content_block_stop", index });
const text = (index: number, said: string) => [
  blockStart(index, { type: "text", text: "" }),
  blockDelta(index, { type: "text_delta", text: said }),
  blockStop(index),
];

describe("a response ends with a reason that is known to be good", () => {
  for (const reason of [
    "insufficient_system_resource",
    "abort",
    "network_error",
    "error",
    "repetition",
    "malformed_function_call",
  ]) {
    it(`Chat Completions: ${reason} → broken off, after half a sentence or a whole call`, async (test) => {
      for (const delta of [{ content: "The file is at" }, { tool_calls: [call] }]) {
        const outcome = await read(
          test,
          "openai-compatible",
          events(chunk(delta), chunk({}, reason), "[DONE]"),
        );
        const error = modelErrorOf(outcome);
        assert.deepEqual([error.kind, error.retryable, outcome.blocks], ["interrupted_stream", true, []]);
        assert.equal(error.message, `The response of acme ended before it was complete (${reason}).`);
      }
    });
  }

  it("Messages: an unknown stop reason → broken off", async (test) => {
    for (const reason of ["pause_turn", "tired"]) {
      const outcome = await read(
        test,
        "anthropic",
        messages(messageStart, ...text(0, "Half"), ...messageEnd(reason)),
      );
      assert.equal(modelErrorOf(outcome).kind, "interrupted_stream");
    }
  });

  it("Responses: incomplete for an unknown reason → broken off", async (test) => {
    const delta = { type: "response.output_text.delta", item_id: "m", delta: "Half" };
    const ends = [
      {
        type: "response.incomplete",
        response: { status: "incomplete", incomplete_details: { reason: "tired" }, usage },
      },
      { type: "response.incomplete", response: { status: "incomplete", incomplete_details: null, usage } },
      { type: "response.completed", response: { status: "cancelled", usage } },
    ];
    for (const end of ends) {
      const outcome = await read(test, "openai", events(...responseStart, delta, end));
      assert.equal(modelErrorOf(outcome).kind, "interrupted_stream");
    }
  });

  it("words of other servers for an end are known", async (test) => {
    const endings = {
      eos_token: "end_turn",
      STOP: "end_turn",
      max_tokens: "max_tokens",
      sensitive: "refusal",
      "content_filter: SAFETY": "refusal",
    };
    for (const [reason, expected] of Object.entries(endings)) {
      const outcome = await read(
        test,
        "openai-compatible",
        events(chunk({ content: "Yes." }), chunk({}, reason), "[DONE]"),
      );
      assert.equal(outcome.finish?.reason, expected);
    }
    const full = await read(
      test,
      "openai-compatible",
      events(chunk({ content: "Yes" }), chunk({}, "model_length")),
    );
    assert.equal(modelErrorOf(full).kind, "context_overflow");
  });
});

const usage = { input_tokens: 5, output_tokens: 3 };
const responseStart = [
  { type: "response.created", response: { id: "resp_1", created_at: 1, model: "m" } },
  { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "m" } },
];

describe("Chat Completions without [DONE]", () => {
  it("finish reason and usage, closed in order → complete", async (test) => {
    const counted = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } };
    const bodies = [
      events(chunk({ content: "Yes." }), chunk({}, "stop"), counted),
      events(chunk({ content: "Yes." }, "stop")),
      events(chunk({ role: "assistant", content: "Yes." }), { ...chunk({}, "stop"), usage: counted.usage }),
    ];
    for (const body of bodies) {
      const outcome = await read(test, "openai-compatible", body);
      assert.deepEqual([outcome.error, outcome.finish?.reason, outcome.text], [null, "end_turn", "Yes."]);
    }
  });

  it("no finish reason → broken off", async (test) => {
    const outcome = await read(test, "openai-compatible", events(chunk({ content: "Yes." })));
    assert.equal(modelErrorOf(outcome).kind, "interrupted_stream");
  });
});

describe("what a stream has that nobody knows is ignored", () => {
  it("Messages: events, blocks and deltas", async (test) => {
    const body = messages(
      messageStart,
      { type: "message_annotation", note: { deep: [1] } },
      blockStart(0, { type: "weather_report", sky: "blue" }),
      blockDelta(0, { type: "weather_delta", sky: "grey" }),
      blockDelta(0, { type: "text_delta", text: "Not text of this response" }),
      blockStop(0),
      blockStart(1, { type: "text", text: "", mood: 3 }),
      blockDelta(1, { type: "mood_delta", mood: 4 }),
      blockDelta(1, { type: "text_delta", text: "Hello" }),
      blockDelta(1, { type: "citations_delta", citation: { type: "of_a_new_kind" } }),
      blockStop(1),
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", container: 5, stop_details: "new" },
        usage: { output_tokens: 3, iterations: [{ type: "new" }] },
      },
      { type: "message_stop" },
    );
    const outcome = await read(test, "anthropic", body);
    assert.deepEqual([outcome.error, outcome.finish?.reason], [null, "end_turn"]);
    assert.deepEqual(
      outcome.blocks.map((block) => block.type === "text" && block.text),
      ["Hello"],
    );
  });

  it("Messages: a start without usage, an end without counts", async (test) => {
    const body = messages(
      { type: "message_start", message: { id: "msg_1" } },
      ...text(0, "Hello"),
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    );
    assert.equal((await read(test, "anthropic", body)).text, "Hello");
  });

  it("Responses: events, items and annotations", async (test) => {
    const body = events(
      ...responseStart,
      { type: "response.weather.changed", sky: "grey" },
      { type: "response.output_item.added", output_index: 1, item: { type: "weather_call", id: 7 } },
      { type: "response.output_text.delta", item_id: "m", delta: "Hello" },
      { type: "response.output_text.annotation.added", annotation: { type: "of_a_new_kind" } },
      { type: "response.content_part.done", part: 3 },
      { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "m" } },
      { type: "response.output_item.done", output_index: 1, item: { type: "weather_call", id: 7 } },
      { type: "response.completed", response: { status: "completed", usage } },
    );
    const outcome = await read(test, "openai", body);
    assert.deepEqual([outcome.error, outcome.finish?.reason, outcome.text], [null, "end_turn", "Hello"]);
  });

  it("Chat Completions: chunks, fields and parts", async (test) => {
    const body = events(
      { object: "prompt.progress", progress: 0.5 },
      {
        ...chunk({ role: "model", content: [{ text: "no type" }, { type: "text", text: "Hel" }] }),
        created: "now",
        timings: [],
      },
      { ...chunk({ content: "lo", reasoning: { deep: 1 }, tool_calls: [{ index: 0 }] }), id: 7 },
      { object: "chat.completion.chunk", choices: [], usage: null },
      { object: "chat.completion.chunk", choices: null },
      chunk({ content: 5 }, "stop"),
      "[DONE]",
    );
    const outcome = await read(test, "openai-compatible", body);
    assert.deepEqual([outcome.error, outcome.finish?.reason, outcome.text], [null, "end_turn", "Hello"]);
  });

  it("Chat Completions: input of a call as an object", async (test) => {
    const tool = { id: "call_1", function: { name: "Look", arguments: { at: "x" } } };
    const outcome = await read(
      test,
      "openai-compatible",
      events(chunk({ tool_calls: [tool] }, "tool_calls"), "[DONE]"),
    );
    const [block] = outcome.blocks;
    assert.deepEqual(block?.type === "tool_call" && block.input, { at: "x" });
  });
});

describe("content that stands where others put none", () => {
  it("Messages: text, thinking and input in the start of a block", async (test) => {
    const body = messages(
      messageStart,
      blockStart(0, { type: "thinking", thinking: "Hm, ", signature: "c2lnbmVk" }),
      blockDelta(0, { type: "thinking_delta", thinking: "yes." }),
      blockStop(0),
      blockStart(1, { type: "text", text: "Hello " }),
      blockDelta(1, { type: "text_delta", text: "there" }),
      blockStop(1),
      blockStart(2, { type: "tool_use", id: "call_1", name: "Look", input: { at: "x" } }),
      blockStop(2),
      blockStart(3, { type: "tool_use", id: "call_2", name: "Look", input: { at: "y" } }),
      blockDelta(3, { type: "input_json_delta", partial_json: '{"at":"y"}' }),
      blockStop(3),
      ...messageEnd("tool_use"),
    );
    const outcome = await read(test, "anthropic", body);
    assert.equal(outcome.text, "Hello there", "also while it streams");
    assert.deepEqual(outcome.blocks, [
      { type: "thinking", text: "Hm, yes.", opaque: { anthropic: { signature: "c2lnbmVk" } } },
      { type: "text", text: "Hello there" },
      { type: "tool_call", id: "call_1", name: "Look", input: { at: "x" } },
      { type: "tool_call", id: "call_2", name: "Look", input: { at: "y" } },
    ]);
  });

  it("Responses: text at the end of its message only", async (test) => {
    const item = {
      type: "message",
      id: "m",
      content: [{ type: "output_text", text: "Hello", annotations: [] }],
    };
    const body = events(
      ...responseStart,
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { status: "completed", usage } },
    );
    assert.equal((await read(test, "openai", body)).text, "Hello");
  });

  it("Chat Completions: a message in place of a delta", async (test) => {
    const choice = { index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" };
    assert.equal((await read(test, "openai-compatible", events({ choices: [choice] }))).text, "Hello");
  });
});

describe("a failure that a server reports after status 200", () => {
  const unexpected = { error: "Unexpected endpoint or method. (POST /chat/completions)" };
  for (const kind of kinds) {
    it(`${kind}: a body that is no stream → its words, without a retry`, async (test) => {
      const bodies: [body: string | object, said: string][] = [
        [unexpected, unexpected.error],
        [{ object: "error", message: "No such model" }, "No such model"],
        ["<!doctype html><title>Sign in</title><p>…", "Sign in"],
        ["Welcome to nginx!", "Welcome to nginx!"],
        [{ id: "x", choices: [{ finish_reason: "stop" }] }, "The answer is no stream of events."],
      ];
      for (const [body, said] of bodies) {
        const error = modelErrorOf(await read(test, kind, { body }));
        assert.deepEqual([error.kind, error.retryable], ["request_failed", false]);
        assert.equal(error.message, `acme answered 200: ${said}`);
      }
    });

    it(`${kind}: a body that names another status → as that status`, async (test) => {
      const body = { error: { code: 429, message: "Slow down", retry_after: 2 } };
      const error = modelErrorOf(await read(test, kind, { body }));
      assert.deepEqual([error.kind, error.retryable, error.retryAfterMs], ["rate_limited", true, 2000]);
    });

    it(`${kind}: within the stream, in any form → its words`, async (test) => {
      const reports = [
        events({ error: "The oven is cold." }),
        events({ error: { message: "The oven is cold.", type: "server_error" } }),
        events({ type: "error", error: { type: "api_error", message: "The oven is cold." } }),
        events({ detail: "The oven is cold." }),
        'error: {"code":null,"message":"The oven is cold."}\n\n',
      ];
      for (const body of reports) {
        const error = modelErrorOf(await read(test, kind, body));
        assert.deepEqual([error.kind, error.retryable], ["request_failed", true]);
        assert.equal(error.message, "acme aborted its response: The oven is cold.");
      }
    });
  }
});

describe("reasoning goes back under the name under which it came", () => {
  const sentBack = async (test: TestContext, ...deltas: object[]) => {
    const answer = events(
      ...deltas.map((delta) => chunk(delta)),
      chunk({ tool_calls: [call] }, "tool_calls"),
      "[DONE]",
    );
    const { server, model } = await start(test, "openai-compatible", answer, answer, answer);
    const first = await exchange(model, ask("Look."));
    assert.equal(first.error, null);
    const stored = JSON.parse(JSON.stringify(first.blocks)) as typeof first.blocks;
    const next = continued(ask("Look."), stored, "seen");
    await exchange(model, next);
    await exchange(model, next);
    const [, second, third] = server.requests.map(({ body }) => body.messages as Record<string, unknown>[]);
    assert.equal(JSON.stringify(second), JSON.stringify(third), "the same bytes each time");
    const { tool_calls: _, role, ...message } = second?.[2] ?? {};
    assert.equal(role, "assistant");
    return message;
  };

  it("reasoning_content", async (test) => {
    const message = await sentBack(test, { reasoning_content: "Hm, " }, { reasoning_content: "yes." });
    assert.deepEqual(message, { content: null, reasoning_content: "Hm, yes." });
  });

  it("reasoning, as Ollama, vLLM and OpenRouter name it", async (test) => {
    const message = await sentBack(
      test,
      { reasoning: "Hm, " },
      { reasoning: "yes." },
      { content: "I look." },
    );
    assert.deepEqual(message, { content: "I look.", reasoning: "Hm, yes." });
  });

  it("thinking parts of the content, as Mistral sends them", async (test) => {
    const thinking = (said: string) => ({
      content: [{ type: "thinking", thinking: [{ type: "text", text: said }] }],
    });
    const message = await sentBack(test, thinking("Hm, "), thinking("yes."), { content: "I look." });
    assert.deepEqual(message.content, [
      { type: "thinking", thinking: [{ type: "text", text: "Hm, yes." }] },
      { type: "text", text: "I look." },
    ]);
  });

  it("another provider than that of the response gets `reasoning_content`, whatever the field was", async (test) => {
    for (const delta of [
      { reasoning: "Hm." },
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] }] },
    ]) {
      const answer = events(chunk(delta), chunk({ tool_calls: [call] }, "tool_calls"), "[DONE]");
      const { server, model } = await start(test, "openai-compatible", answer, answer);
      const { blocks } = await exchange(model, ask("Look."));
      const other = modelAt(server.baseUrl, "openai-compatible", { provider: "other" });
      assert.equal((await exchange(other, continued(ask("Look."), blocks, "seen"))).error, null);
      const sent = (server.requests[1]?.body.messages ?? []) as Record<string, unknown>[];
      const { tool_calls: _, ...message } = sent[2] ?? {};
      assert.deepEqual(message, { role: "assistant", content: null, reasoning_content: "Hm." });
    }
  });

  it("details with signatures and sealed parts, as OpenRouter sends them, also without readable reasoning", async (test) => {
    const details = (...given: object[]) => ({ reasoning_details: given });
    const signed = await sentBack(
      test,
      { reasoning: "Hm, ", ...details({ type: "reasoning.text", index: 0, text: "Hm, ", format: "f" }) },
      { reasoning: "yes.", ...details({ type: "reasoning.text", index: 0, text: "yes.", signature: null }) },
      details({ type: "reasoning.text", index: 0, signature: "c2lnbmVk" }),
    );
    assert.equal(signed.reasoning, "Hm, yes.");
    assert.deepEqual(signed.reasoning_details, [
      { type: "reasoning.text", index: 0, text: "Hm, yes.", format: "f", signature: "c2lnbmVk" },
    ]);
    const sealed = { type: "reasoning.encrypted", index: 0, id: "call_1", data: "c2VhbGVk" };
    const other = { ...sealed, id: "call_2", data: "b3RoZXI=" };
    assert.deepEqual(await sentBack(test, details(sealed, other)), {
      content: null,
      reasoning_details: [sealed, other],
    });
  });
});
