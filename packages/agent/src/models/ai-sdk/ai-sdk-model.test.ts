import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { ask, continued, exchange, modelErrorOf } from "../../../test-support/models/exchange.ts";
import { apiKey, kinds, modelAt, startDouble } from "../../../test-support/models/providers.ts";
import type { Reply, WireDouble } from "../../../test-support/models/wire-double.ts";
import type { ModelRequest } from "../model.ts";

const lookTwice = {
  blocks: [
    { thinking: "Both at once." },
    { text: "Looking." },
    { tool: "Look", id: "call_a", input: { at: "x" } },
    { tool: "Look", id: "call_b", input: { at: "y" } },
  ],
};

for (const kind of kinds) {
  describe(`model of kind ${kind}`, () => {
    const start = async (test: TestContext, ...replies: Reply[]): Promise<WireDouble> => {
      const double = await startDouble(kind);
      test.after(() => double.close());
      double.enqueue(...replies);
      return double;
    };
    const failure = async (test: TestContext, reply: Reply) => {
      const double = await start(test, reply);
      const outcome = await exchange(modelAt(double.baseUrl, kind), ask("Hello"));
      assert.equal(outcome.finish, null);
      assert.deepEqual(outcome.blocks, []);
      assert.equal(double.requests.length, 1, "one call is one request: the loop retries");
      return modelErrorOf(outcome);
    };

    it("streams text, then yields it as a block, with usage", async (test) => {
      const usage = { input: 5, output: 7, cacheRead: 100 };
      const double = await start(test, { blocks: [{ text: "Hello there" }], usage });
      const { parts, blocks, text } = await exchange(modelAt(double.baseUrl, kind), ask("Hello"));
      assert.equal(text, "Hello there");
      assert.equal(blocks[0]?.type === "text" && blocks[0].text, "Hello there");
      assert.deepEqual(parts.at(-1), {
        type: "finish",
        reason: "end_turn",
        usage: {
          input_tokens: 5,
          output_tokens: 7,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 0,
        },
      });
    });

    it("always sends an output limit", async (test) => {
      const double = await start(test, { blocks: [{ text: "Hello" }] });
      await exchange(modelAt(double.baseUrl, kind), ask("Hello"));
      const { max_tokens: chat, max_output_tokens: responses } = double.requests[0]?.body ?? {};
      assert.equal(chat ?? responses, 4000);
    });

    it("calls tools in parallel, and sends the model's blocks back unchanged", async (test) => {
      const double = await start(test, lookTwice, lookTwice, { blocks: [{ text: "Done." }] });
      const model = modelAt(double.baseUrl, kind);
      const first = await exchange(model, ask("Look."));
      assert.equal(first.finish?.reason, "tool_calls");
      assert.deepEqual(
        first.blocks.flatMap((block) =>
          block.type === "tool_call" ? [[block.id, block.name, block.input]] : [],
        ),
        [
          ["call_a", "Look", { at: "x" }],
          ["call_b", "Look", { at: "y" }],
        ],
      );
      // The log returns the same JSON, but other objects.
      const stored = JSON.parse(JSON.stringify(first.blocks)) as typeof first.blocks;
      const second = continued(ask("Look."), stored, "seen");
      assert.equal((await exchange(model, second)).error, null);
      assert.equal((await exchange(model, second)).error, null);
      const [begun, again, same] = double.requests.map(({ body }) =>
        withoutMarkers(body.messages ?? body.input),
      );
      assert.equal(again, same);
      assert.ok(
        begun !== undefined && again?.startsWith(begun.slice(0, -1)),
        "a longer history begins as the shorter one",
      );
      for (const piece of ['"call_a"', '"call_b"', "seen call_a", "seen call_b", "Both at once."]) {
        assert.ok(again?.includes(piece), piece);
      }
    });

    it("rate limit → retryable, with the provider's delay", async (test) => {
      const error = { type: "rate_limit_error", message: "Too many requests" };
      const inSeconds = await failure(test, { status: 429, headers: { "retry-after": "7" }, error });
      assert.equal(inSeconds.kind, "rate_limited");
      assert.equal(inSeconds.retryable, true);
      assert.equal(inSeconds.retryAfterMs, 7000);
      const headers = { "retry-after": "7", "retry-after-ms": "1500" };
      assert.equal((await failure(test, { status: 429, headers, error })).retryAfterMs, 1500);
      assert.equal((await failure(test, { status: 429, error })).retryAfterMs, null);
    });

    it("exhausted quota → not retryable", async (test) => {
      const error = {
        type: "insufficient_quota",
        code: "insufficient_quota",
        message: "You exceeded your quota",
      };
      const spent = await failure(test, { status: 429, error });
      assert.equal(spent.kind, "rate_limited");
      assert.equal(spent.retryable, false);
    });

    it("overload, by status or in the stream → overloaded", async (test) => {
      const error = { type: "overloaded_error", message: "Overloaded" };
      for (const reply of [
        { status: 529, error },
        { status: 503, error },
        { blocks: [], failsWith: error },
      ]) {
        const { kind, retryable, message } = await failure(test, reply);
        assert.deepEqual([kind, retryable], ["overloaded", true]);
        assert.match(message, /acme.*Overloaded/);
      }
    });

    it("server errors are retryable, request errors are not", async (test) => {
      const error = { type: "api_error", message: "Something broke" };
      const told = async (status: number) => {
        const { kind, retryable } = await failure(test, { status, error });
        return [kind, retryable];
      };
      assert.deepEqual(await told(500), ["request_failed", true]);
      assert.deepEqual(await told(502), ["request_failed", true]);
      assert.deepEqual(await told(400), ["request_failed", false]);
      assert.deepEqual(await told(422), ["request_failed", false]);
      assert.deepEqual(await told(404), ["not_found", false]);
      assert.deepEqual(await told(403), ["request_failed", false]);
    });

    it("context overflow, in each provider's wording → context_overflow", async (test) => {
      const said = [
        "prompt is too long: 210000 tokens > 200000 maximum",
        "Your input exceeds the context window of this model.",
        "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens.",
        "the request exceeds the available context size, try increasing it",
      ];
      for (const message of said) {
        const error = await failure(test, { status: 400, error: { type: "invalid_request_error", message } });
        assert.deepEqual([error.kind, error.retryable], ["context_overflow", false], message);
      }
    });

    it("an error that repeats the key → the key is redacted", async (test) => {
      const double = await start(test);
      const secret = "sk-wrong-ABCDEFGH12345678";
      const headers = { "x-gateway": "gateway-secret-1" };
      const model = modelAt(double.baseUrl, kind, { key: secret, headers });
      const refusedKey = modelErrorOf(await exchange(model, ask("Hello")));
      assert.deepEqual([refusedKey.kind, refusedKey.retryable], ["authentication", false]);
      const message = `bad ${apiKey} and gateway-secret-1, or sk-some-other-key-000000`;
      const right = modelAt(double.baseUrl, kind, { headers });
      double.enqueue({ status: 400, error: { type: "invalid_request_error", message } });
      const repeated = modelErrorOf(await exchange(right, ask("Hello")));
      assert.match(repeated.message, /bad \[secret\] and \[secret\], or \[secret\]/);
      for (const error of [refusedKey, repeated]) {
        const shown = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
        for (const text of [secret, apiKey, "gateway-secret-1", "some-other-key"])
          assert.ok(!shown.includes(text), text);
      }
    });

    it("sends the provider's headers and only its own key", async (test) => {
      process.env.ANTHROPIC_API_KEY = "sk-of-the-process";
      process.env.OPENAI_API_KEY = "sk-of-the-process";
      test.after(() => {
        delete process.env.ANTHROPIC_API_KEY;
        delete process.env.OPENAI_API_KEY;
      });
      const double = await start(test);
      await exchange(
        modelAt(double.baseUrl, kind, { key: null, headers: { "x-team": "blue" } }),
        ask("Hello"),
      );
      const headers = double.requests[0]?.headers ?? {};
      assert.equal(headers["x-team"], "blue");
      assert.equal(headers.authorization, undefined);
      assert.equal(headers["x-api-key"], undefined);
    });

    it("connection refused → retryable", async () => {
      const double = await startDouble(kind);
      await double.close();
      const error = modelErrorOf(await exchange(modelAt(double.baseUrl, kind), ask("Hello")));
      assert.deepEqual([error.kind, error.retryable], ["request_failed", true]);
    });

    it("does not follow redirects", async (test) => {
      const other = await start(test, { blocks: [{ text: "Gotcha" }] });
      const location = { location: `${other.baseUrl}/messages` };
      const double = await start(test, { status: 307, headers: location, error: { type: "", message: "" } });
      modelErrorOf(await exchange(modelAt(double.baseUrl, kind), ask("Hello")));
      assert.equal(other.requests.length, 0);
    });

    it("no data for the idle timeout → a retryable error", async (test) => {
      const double = await start(test, { hang: "before" });
      const silence = async (idleTimeoutMs: number) =>
        modelErrorOf(await exchange(modelAt(double.baseUrl, kind, { idleTimeoutMs }), ask("Hello")));
      const before = await silence(60);
      assert.deepEqual([before.kind, before.retryable], ["request_failed", true]);
      // On a loaded machine the response may begin after the timeout, but the silence must come after its
      // beginning.
      let within = before;
      for (let ms = 60; within.kind === "request_failed" && ms < 20_000; ms *= 4) {
        double.enqueue({ hang: lookTwice });
        within = await silence(ms);
      }
      assert.deepEqual([within.kind, within.retryable], ["interrupted_stream", true]);
    });

    for (const hang of ["before", lookTwice] as const) {
      it(`aborted ${hang === "before" ? "before" : "during"} the response → ends at once`, async (test) => {
        const double = await start(test, { hang });
        const abort = new AbortController();
        const hanging = double.nextHang();
        const running = exchange(modelAt(double.baseUrl, kind), ask("Hello"), abort.signal);
        await hanging;
        const reason = new Error("interrupted by the user");
        abort.abort(reason);
        const late = wait(30_000, null, { ref: false });
        const outcome = await Promise.race([running, late]);
        assert.equal(outcome?.error, reason);
        await double.nextHangUp();
      });
    }

    it("already aborted → no request", async (test) => {
      const double = await start(test);
      const outcome = await exchange(
        modelAt(double.baseUrl, kind),
        ask("Hello"),
        AbortSignal.abort("enough"),
      );
      assert.equal(outcome.error, "enough");
      assert.equal(double.requests.length, 0);
    });

    it("a reader that stops → the connection is closed", async (test) => {
      const double = await start(test, { hang: { blocks: [{ text: "Hello there" }] }, after: "text" });
      const stream = modelAt(double.baseUrl, kind).stream(ask("Hello"), new AbortController().signal);
      for await (const part of stream) if (part.type === "text_delta") break;
      await double.nextHangUp();
    });

    it("truncated response → its text is kept, its calls are dropped", async (test) => {
      const half = { blocks: [...lookTwice.blocks, { tool: "Look", id: "call_c", input: '{"at": "z' }] };
      const double = await start(test, { ...half, stop: "length" as const });
      const { blocks, finish, error } = await exchange(modelAt(double.baseUrl, kind), ask("Look."));
      assert.equal(error, null);
      assert.equal(finish?.reason, "max_tokens");
      assert.deepEqual(
        blocks.map(({ type }) => type),
        ["thinking", "text"],
      );
    });

    for (const [given, expected] of [
      [JSON.stringify('{"at":"x"}'), { input: { at: "x" } }],
      [JSON.stringify(JSON.stringify('{"at":{"y":1}}')), { input: { at: { y: 1 } } }],
      ["", { input: {} }],
      ['{"at": ', { input: {}, malformed: '{"at": ' }],
      ['"at x"', { input: {}, malformed: '"at x"' }],
      ['[{"at":"x"}]', { input: {}, malformed: '[{"at":"x"}]' }],
      ["null", { input: {}, malformed: "null" }],
    ] as const)
      it(`a complete call with the input ${given} → ${JSON.stringify(expected)}`, async (test) => {
        const double = await start(test, { blocks: [{ tool: "Look", id: "call_a", input: given }] });
        const { blocks } = await exchange(modelAt(double.baseUrl, kind), ask("Look."));
        const [call] = blocks;
        assert.ok(call?.type === "tool_call");
        const { input, malformed } = call;
        assert.deepEqual(malformed === undefined ? { input } : { input, malformed }, expected);
      });

    it("thinking at the end → dropped, since no provider accepts it", async (test) => {
      const double = await start(test, { blocks: [{ thinking: "Hm." }] });
      const { blocks, finish } = await exchange(modelAt(double.baseUrl, kind), ask("Look."));
      assert.deepEqual(blocks, []);
      assert.equal(finish?.reason, "end_turn");
    });

    it("a call with finish reason stop → still a call", async (test) => {
      const double = await start(test, { ...lookTwice, stop: "end" as const });
      const { finish } = await exchange(modelAt(double.baseUrl, kind), ask("Look."));
      assert.equal(finish?.reason, "tool_calls");
    });

    it("blank texts → dropped, since no provider accepts them", async (test) => {
      const call = { tool: "Look", id: "call_a", input: { at: "x" } };
      const double = await start(test, { blocks: [{ text: "\n\n" }, call] });
      const { blocks } = await exchange(modelAt(double.baseUrl, kind), ask("Look."));
      assert.deepEqual(
        blocks.map(({ type }) => type),
        ["tool_call"],
      );
    });

    it("images of results → sent, or replaced by a note", async (test) => {
      const image = { type: "image" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
      const call = { type: "tool_call" as const, id: "call_a", name: "Look", input: {} };
      const request = (isError: boolean): ModelRequest => ({
        ...ask("Look."),
        messages: [
          ...ask("Look.").messages,
          { role: "assistant", content: [call] },
          { role: "tool", content: [{ id: "call_a", name: "Look", content: [image], isError }] },
        ],
      });
      const done = { blocks: [{ text: "Seen." }] };
      const double = await start(test, done, done, done);
      const model = modelAt(double.baseUrl, kind);
      assert.equal((await exchange(model, request(false))).error, null);
      assert.equal((await exchange(model, request(true))).error, null);
      assert.equal(
        (await exchange(modelAt(double.baseUrl, kind, { supportsImages: false }), request(false))).error,
        null,
      );
      const [shown, ofError, refused] = double.requests.map(({ text }) => text);
      assert.ok(shown?.includes(image.data));
      assert.ok(ofError?.includes(image.data));
      assert.ok(!refused?.includes(image.data));
      assert.match(refused ?? "", /image\/png image left out/);
    });

    it("images and documents of messages → sent, or replaced by a note", async (test) => {
      const image = { type: "image" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
      const document = {
        type: "document" as const,
        mediaType: "application/pdf" as const,
        data: Buffer.from("%PDF-1.7 of a test").toString("base64"),
      };
      const content = [{ type: "text" as const, text: "Look at these." }, image, document];
      const request: ModelRequest = { ...ask(""), messages: [{ role: "user", content }] };
      const done = { blocks: [{ text: "Seen." }] };
      const double = await start(test, done, done);
      const blind = { supportsImages: false, supportsDocuments: false };
      assert.equal((await exchange(modelAt(double.baseUrl, kind), request)).error, null);
      assert.equal((await exchange(modelAt(double.baseUrl, kind, blind), request)).error, null);
      const [shown, refused] = double.requests.map(({ text }) => text);
      for (const { data } of [image, document]) {
        assert.ok(shown?.includes(data));
        assert.ok(!refused?.includes(data));
      }
      assert.match(refused ?? "", /image\/png image left out.*application\/pdf document left out/);
    });
  });
}

function withoutMarkers(messages: unknown): string {
  return JSON.stringify(messages, (key, value) => (key === "cache_control" ? undefined : value));
}
