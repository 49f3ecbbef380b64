import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model, ModelMessage, ModelRequest } from "@berth/agent";
import type { ModelUsage, NewEvent } from "@berth/contract";
import fc from "fast-check";
import { pino } from "pino";
import { PrefixWatch } from "./prefix-watch.ts";

const SECRET = "canary";
const user = (...texts: string[]): ModelMessage => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});
const said = (text: string): ModelMessage => ({ role: "assistant", content: [{ type: "text", text }] });
const result = (text: string): ModelMessage => ({
  role: "tool",
  content: [{ id: "1", name: "Bash", content: [{ type: "text", text }], isError: false }],
});
const tool = (name: string, description = SECRET) => ({ name, description, inputSchema: { type: "object" } });
const REQUEST: ModelRequest = {
  system: `${SECRET} system`,
  tools: [tool("Bash"), tool("Read")],
  messages: [],
};
const with_ = (...messages: ModelMessage[]): ModelRequest => ({ ...REQUEST, messages });
const usageOf = (cache_read_input_tokens: number, cache_creation_input_tokens: number): ModelUsage => ({
  ...{ input_tokens: 3, output_tokens: 5, cache_read_input_tokens, cache_creation_input_tokens },
});

type Line = Record<string, unknown>;

function watch() {
  const lines: Line[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) });
  const prefix = new PrefixWatch(log.child({ session: "s", organization: "o" }));
  /** Sends one request whose end is appended with `more` before it. */
  const ask = (
    request: ModelRequest,
    { id = "a/b", usage = usageOf(0, 0), fails = false, more = [] as NewEvent[] } = {},
  ) => {
    const model: Model = { id, contextWindow: 9, maxOutputTokens: 9, stream: async function* () {} };
    prefix.watched(model).stream(request, new AbortController().signal);
    const end = { type: "span.model_request_end" as const, model_request_start_id: "evt_1" };
    const ended: NewEvent = { ...end, is_error: fails, model_usage: fails ? null : usage };
    prefix.appended([...more, ended].map((event) => ({ event })));
  };
  return { ask, lines };
}

const COMPACTED: NewEvent = {
  type: "agent.context_compacted",
  input_tokens_before: 9,
  input_tokens_after: 1,
};
const OMITTED: NewEvent = {
  type: "agent.content_omitted",
  reason: "no",
  omitted: [{ type: "image", count: 1 }],
};
const A = user("a");
const LONG = [A, said("b"), result("c"), said("d")] as const;

test("a request that begins with the one before writes no line, also when blocks join the last message", () => {
  const { ask, lines } = watch();
  ask(with_(A));
  ask(with_(user("a", "and more")));
  ask(structuredClone(with_(user("a"), user("and more"), said("b"), result("c"))));
  assert.deepEqual(lines, []);
});

for (const [name, next, says] of [
  ["a changed message", with_(A, said("x"), result("c")), { part: "messages", message: 1 }],
  ["a first message that is gone", with_(said("b"), result("c")), { part: "messages", message: 0 }],
  ["a shorter history", with_(A, said("b")), { part: "messages", message: 2 }],
  ["another role", with_(A, user("b"), result("c")), { part: "messages", message: 1 }],
  ["another system prompt", { ...with_(...LONG), system: "x" }, { part: "system" }],
  [
    "a new tool",
    { ...with_(...LONG), tools: [...REQUEST.tools, tool("mcp")] },
    { part: "tools", tool: "mcp" },
  ],
  ["a tool that is gone", { ...with_(...LONG), tools: [tool("Bash")] }, { part: "tools", tool: "Read" }],
  [
    "another description",
    { ...with_(...LONG), tools: [tool("Bash", "x"), tool("Read")] },
    { part: "tools", tool: "Bash" },
  ],
] as const)
  test(`${name}: one line, with the part and without its content`, () => {
    const { ask, lines } = watch();
    ask(with_(A, said("b"), result("c")));
    ask(next);
    ask({ ...next, messages: [...next.messages, said("e")] });
    const head = { level: 40, session: "s", organization: "o", model: "a/b" };
    assert.deepEqual(lines, [{ ...head, ...says, msg: "the prefix of a model request changed" }]);
    assert.doesNotMatch(JSON.stringify(lines), new RegExp(SECRET));
  });

for (const [name, options] of [
  ["a compaction", { more: [COMPACTED] }],
  ["content that is left out", { more: [OMITTED] }],
  ["another model", { id: "c/d" }],
  ["a request that failed", { fails: true }],
] as const)
  test(`${name} is no change of the prefix, and what follows it is watched`, () => {
    const { ask, lines } = watch();
    ask(with_(...LONG));
    ask(with_(user("else")), { ...options, more: [...("more" in options ? options.more : [])] });
    assert.deepEqual(lines, []);
    const { id = "a/b" } = "id" in options ? options : {};
    const start = "fails" in options ? LONG : [user("else")];
    ask(with_(...start, said("more")), { id });
    assert.deepEqual(lines, []);
    ask(with_(user("broken")), { id });
    assert.equal(lines.length, 1);
  });

const next = (count: number) =>
  with_(A, ...Array.from({ length: count }, () => [said("b"), result("c")]).flat());

test("a cache that is lost in a turn: one line, until it serves again", () => {
  const { ask, lines } = watch();
  ask(next(1), { usage: usageOf(0, 10_000) });
  ask(next(2), { usage: usageOf(10_000, 500) });
  assert.deepEqual(lines, []);
  ask(next(3), { usage: usageOf(1_000, 9_900) });
  ask(next(4), { usage: usageOf(0, 11_000) });
  const said = { cached_tokens: 10_500, cache_read_input_tokens: 1_000 };
  const msg = "the provider's cache did not serve the prefix of a model request";
  assert.deepEqual(lines, [{ level: 40, session: "s", organization: "o", model: "a/b", ...said, msg }]);
  ask(next(5), { usage: usageOf(11_000, 200) });
  ask(next(6), { usage: usageOf(0, 11_400) });
  assert.equal(lines.length, 2);
});

test("a cache that nothing is known of writes no line: not reported, a new turn, few tokens, a later time", (t) => {
  t.mock.method(performance, "now", () => now);
  let now = 0;
  const { ask, lines } = watch();
  ask(next(1), { usage: usageOf(20_000, 0) });
  ask(next(2), { usage: usageOf(0, 0) });
  ask(next(3), { usage: usageOf(0, 4_000) });
  ask(next(4), { usage: usageOf(0, 20_000) });
  ask({ ...next(4), messages: [...next(4).messages, said("b"), user("on")] }, { usage: usageOf(0, 20_000) });
  now = 240_001;
  ask(
    { ...next(4), messages: [...next(4).messages, said("b"), user("on"), said("b"), result("c")] },
    { usage: usageOf(0, 20_000) },
  );
  assert.deepEqual(lines, []);
});

test("random histories: a request that goes on never writes a line, and one that changes a block names its message", () => {
  const message = fc.oneof(
    fc.array(fc.string(), { minLength: 1, maxLength: 3 }).map((texts) => user(...texts)),
    fc.string().map(said),
    fc.string().map(result),
  );
  const messages = fc.array(message, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(messages, fc.nat(12), fc.nat(), (all, cut, pick) => {
      const { ask, lines } = watch();
      ask(with_(...all.slice(0, cut)));
      ask(structuredClone(with_(...all)));
      assert.deepEqual(lines, []);
      const place = pick % all.length;
      ask(with_(...all.map((one, index) => (index === place ? said("\u0000 changed") : one))));
      assert.deepEqual(
        lines.map(({ part, message: at }) => [part, at]),
        [["messages", place]],
      );
    }),
  );
});

test("a request and a summary in a call's own loop are none of the session's", () => {
  const { ask, lines } = watch();
  const nested = { parent_tool_use_id: "evt_call" };
  const nestedEnd: NewEvent = {
    ...{ type: "span.model_request_end", model_request_start_id: "evt_2", is_error: false },
    ...{ model_usage: usageOf(9, 9), ...nested },
  };
  ask(with_(...LONG));
  ask(with_(A), { more: [{ ...COMPACTED, ...nested }, nestedEnd] });
  assert.deepEqual(
    lines.map(({ part }) => part),
    ["messages"],
  );
});
