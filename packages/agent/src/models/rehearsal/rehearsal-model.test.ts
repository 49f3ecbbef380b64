import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError, type ModelMessage, type ModelPart } from "../model.ts";
import { createRehearsalModel } from "./rehearsal-model.ts";

const user = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });
const result = (text: string): ModelMessage => ({
  role: "tool",
  content: [{ id: "c", name: "Bash", content: [{ type: "text", text }], isError: false }],
});
const answered: ModelMessage = {
  role: "assistant",
  content: [{ type: "tool_call", id: "c", name: "Bash", input: {} }],
};
const script = (...steps: unknown[]) => JSON.stringify({ steps });

async function parts(
  messages: ModelMessage[],
  options: { failedAttempts?: number; signal?: AbortSignal } = {},
): Promise<ModelPart[]> {
  const { failedAttempts = 0, signal = new AbortController().signal } = options;
  const request = { system: "", tools: [], messages, failedAttempts };
  const collected: ModelPart[] = [];
  for await (const part of createRehearsalModel().stream(request, signal)) collected.push(part);
  return collected;
}

async function blocks(...given: Parameters<typeof parts>) {
  return (await parts(...given)).flatMap((part) => (part.type === "block" ? [part.block] : []));
}

async function said(...given: Parameters<typeof parts>): Promise<string> {
  return (await blocks(...given)).map((block) => (block.type === "text" ? block.text : block.type)).join("|");
}

test("rehearsal: each response takes the steps up to the next calls; the last one ends the turn", async () => {
  const message = user(
    script(
      { say: "a" },
      { tool: "Bash", input: { command: "x" } },
      { tools: [{ tool: "Read" }, { tool: "Glob" }] },
      { say: "b" },
    ),
  );
  const first = await parts([message]);
  assert.deepEqual(first.at(-1)?.type === "finish" && first.at(-1), {
    type: "finish",
    reason: "tool_calls",
    usage: {
      input_tokens: 35,
      output_tokens: 9,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    },
  });
  assert.equal(await said([message]), "a|tool_call");
  const second = await blocks([message, answered, result("")]);
  assert.deepEqual(
    second.map((block) => block.type === "tool_call" && [block.name, block.input]),
    [
      ["Read", {}],
      ["Glob", {}],
    ],
  );
  const third = [message, answered, result(""), answered, result("")];
  assert.equal(await said(third), "b");
  assert.equal(await said([...third, { role: "assistant", content: [{ type: "text", text: "b" }] }]), "");
});

test("rehearsal: the same request → the same response; call ids differ between responses", async () => {
  const message = user(script({ tool: "Bash" }, { tool: "Bash" }));
  assert.deepEqual(await parts([message]), await parts([message]));
  const [one] = await blocks([message]);
  const [two] = await blocks([message, answered, result("")]);
  assert.notDeepEqual(one, two);
});

test("rehearsal: text streams in pieces that add up to the block", async () => {
  const text = "A longer sentence, with an emoji 🙂 at a place where it must not be cut in two.";
  const streamed = await parts([user(script({ say: text }))]);
  const pieces = streamed.flatMap((part) => (part.type === "text_delta" ? [part.text] : []));
  assert.ok(pieces.length > 2);
  assert.equal(pieces.join(""), text);
});

test("rehearsal: steps may be in a fenced block; any other message → an explanation of the format", async () => {
  assert.equal(await said([user(`Please:\n\`\`\`json\n${script({ say: "hi" })}\n\`\`\`\nThanks`)]), "hi");
  for (const text of ["hello", script({ shout: "x" }), '{"steps": 1}', "[]"]) {
    assert.match(await said([user(text)]), /rehearsal model.*"steps"/);
  }
});

test("rehearsal: the newest message takes precedence, even in the middle of the steps", async () => {
  const steps = user(script({ tool: "Bash" }, { say: "never" }));
  assert.match(await said([steps, answered, result(""), user("wait")]), /rehearsal model/);
  assert.equal(await said([steps, answered, result(""), user(script({ say: "new" }))]), "new");
});

test("rehearsal: a fail step fails as often as it says, counted by failedAttempts", async () => {
  const message = user(script({ fail: "overloaded", times: 2 }, { fail: "rate_limited" }, { say: "ok" }));
  const kinds: unknown[] = [];
  for (const failedAttempts of [0, 1, 2]) {
    await assert.rejects(parts([message], { failedAttempts }), (error) => {
      kinds.push(error instanceof ModelError && [error.kind, error.retryable]);
      return true;
    });
  }
  assert.deepEqual(kinds, [
    ["overloaded", true],
    ["overloaded", true],
    ["rate_limited", true],
  ]);
  assert.equal(await said([message], { failedAttempts: 3 }), "ok");
  const lasting = parts([user(script({ fail: "authentication" }))]);
  await assert.rejects(lasting, (error) => error instanceof ModelError && !error.retryable);
});

test("rehearsal: an unmet expectation → the rehearsal stops", async () => {
  const message = user(script({ tool: "Bash" }, { tool: "Bash", expect: "good" }, { say: "end" }));
  assert.equal(await said([message, answered, result("all good")]), "tool_call");
  assert.match(await said([message, answered, result("bad")]), /^Stopped: .*"good".*bad$/);
});

test("rehearsal: an abort ends a wait", async () => {
  const stop = new AbortController();
  const waiting = parts([user(script({ wait_ms: 60_000 }, { say: "late" }))], { signal: stop.signal });
  stop.abort(new Error("stop"));
  await assert.rejects(waiting);
  assert.equal(await said([user(script({ wait_ms: 1 }, { say: "soon" }))]), "soon");
});
