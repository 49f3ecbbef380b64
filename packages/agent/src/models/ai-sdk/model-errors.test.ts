import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { ask, exchange, modelErrorOf } from "../../../test-support/models/exchange.ts";
import { kinds, modelAt } from "../../../test-support/models/providers.ts";
import { type RawAnswer, startRawServer } from "../../../test-support/models/raw-server.ts";
import type { ModelError } from "../model.ts";

/** Returns the errors of these answers, each given to a request of every kind of provider. */
async function failuresOf(test: TestContext, answer: RawAnswer, key?: string): Promise<ModelError[]> {
  const server = await startRawServer();
  test.after(() => server.close());
  const errors: ModelError[] = [];
  for (const kind of kinds) {
    server.answer(answer);
    const model = modelAt(server.baseUrl, kind, key === undefined ? {} : { key });
    errors.push(modelErrorOf(await exchange(model, ask("Hello"))));
  }
  return errors;
}

describe("model errors: the provider's words", () => {
  const bodies: [form: string, body: string | object][] = [
    ["object error", { object: "error", message: "The oven is cold.", type: "BadRequestError", code: 400 }],
    ["error as a text", { error: "The oven is cold." }],
    ["detail", { detail: "The oven is cold." }],
    ["errors of a validator", { detail: [{ loc: ["body", "oven"], msg: "The oven is cold." }] }],
    ["a list", [{ error: { code: 400, message: "The oven is cold.", status: "INVALID_ARGUMENT" } }]],
    [
      "a gateway's text",
      { error: { message: "Provider returned error", metadata: { raw: '{"error":"The oven is cold."}' } } },
    ],
    ["JSON in a text", { error: { message: '{"detail":"The oven is cold."}' } }],
    ["plain text", "The oven is cold."],
    ["a page", "<!DOCTYPE html><html><head><title>The oven is cold.</title></head><body>lots</body></html>"],
    ["errors", { success: false, errors: [{ code: 7009, message: "The oven is cold." }] }],
  ];
  for (const [form, body] of bodies) {
    it(`${form} → in the message`, async (test) => {
      for (const error of await failuresOf(test, { status: 400, body })) {
        assert.match(error.message, /^acme answered 400: .*The oven is cold\.$/);
        assert.deepEqual([error.kind, error.retryable, error.overflow], ["request_failed", false, null]);
      }
    });
  }

  it("an empty body → the name of the status", async (test) => {
    for (const error of await failuresOf(test, { status: 400, body: "" }))
      assert.equal(error.message, "acme answered 400: Bad Request");
  });

  it("a key that is none stays in the text, a real one does not", async (test) => {
    for (const key of ["ollama", "EMPTY", "lm-studio"]) {
      const body = { error: `The model of ${key} is not loaded. API key provided: ${key}.` };
      for (const error of await failuresOf(test, { status: 400, body }, key))
        assert.ok(error.message.endsWith(body.error), error.message);
    }
    const key = "a-real-one-0123";
    const body = { error: `Do not show ${key}.` };
    for (const error of await failuresOf(test, { status: 400, body }, key))
      assert.equal(error.message, "acme answered 400: Do not show [secret].");
  });
});

describe("model errors: the key", () => {
  const access = "Project `proj_1` does not have access to model `gpt-5`";
  const told = async (test: TestContext, status: number, body: string | object) => {
    const errors = await failuresOf(test, { status, body });
    const [first] = errors;
    assert.ok(first);
    for (const error of errors) assert.equal(error.message, first.message);
    return [first.kind, first.retryable, first.message];
  };

  it("403 that says nothing of the key → the text alone", async (test) => {
    const code = { error: { type: "invalid_request_error", code: "model_not_found", message: access } };
    assert.deepEqual(await told(test, 403, code), ["not_found", false, `acme answered 403: ${access}`]);
    const region = { error: { code: 403, message: "This model is not available in your region." } };
    assert.deepEqual(await told(test, 403, region), [
      "request_failed",
      false,
      "acme answered 403: This model is not available in your region.",
    ]);
    const page = "<html><head><title>403 Forbidden</title></head></html>";
    assert.deepEqual(await told(test, 403, page), [
      "request_failed",
      false,
      "acme answered 403: 403 Forbidden",
    ]);
  });

  it("a rejected key, with whatever status → the key, with the text", async (test) => {
    const gemini = [
      {
        error: {
          code: 400,
          message: "API key not valid. Please pass a valid API key.",
          status: "INVALID_ARGUMENT",
        },
      },
    ];
    assert.deepEqual(await told(test, 400, gemini), [
      "authentication",
      false,
      "acme rejected the API key (400): API key not valid. Please pass a valid API key.",
    ]);
    const fromXai = { code: "Client specified an invalid argument", error: "Incorrect API key provided." };
    assert.equal((await told(test, 400, fromXai))[0], "authentication");
    assert.equal((await told(test, 403, { error: { code: "invalid_api_key" } }))[0], "authentication");
    assert.equal(
      (await told(test, 401, { detail: "Unauthorized" }))[2],
      "acme rejected the API key (401): Unauthorized",
    );
  });
});

describe("model errors: a request that is too large", () => {
  const texts: [message: string, limit: number | null, requested: number | null][] = [
    ["request (33000 tokens) exceeds the available context size (32768 tokens)", 32_768, 33_000],
    [
      "Invalid request: Your request exceeded model token limit: 262144 (requested: 269000)",
      262_144,
      269_000,
    ],
    [
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
      1_048_575,
      1_196_265,
    ],
    ["The input token count exceeds the maximum number of tokens allowed 1048576.", 1_048_576, null],
    [
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      131_072,
      537_812,
    ],
    ["prompt is too long: 210000 tokens > 200000 maximum", 200_000, 210_000],
    [
      "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens (36000 in the messages, 4000 in the completion).",
      32_768,
      40_000,
    ],
    ["Your input exceeds the context window of this model.", null, null],
    [
      "Prompt contains 40,000 tokens and 0 draft tokens, too large for model with 32,768 maximum context length",
      32_768,
      40_000,
    ],
    ["input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000", 200_000, 209_573],
    ["Range of input length should be [1, 30720]", 30_720, null],
  ];
  for (const [message, limit, requested] of texts) {
    it(`${message.slice(0, 60)}… → context_overflow`, async (test) => {
      for (const error of await failuresOf(test, { status: 400, body: { error: { message } } })) {
        assert.deepEqual([error.kind, error.retryable], ["context_overflow", false]);
        assert.deepEqual(error.overflow, { certain: true, limit, requested });
      }
    });
  }

  it("sizes in fields of the error are read", async (test) => {
    const error = {
      code: 400,
      message: "the request exceeds the available context size",
      type: "exceed_context_size_error",
      n_prompt_tokens: 33_000,
      n_ctx: 32_768,
    };
    for (const { overflow } of await failuresOf(test, { status: 400, body: { error } }))
      assert.deepEqual(overflow, { certain: true, limit: 32_768, requested: 33_000 });
  });

  it("words that only suggest it → a failure that may be one", async (test) => {
    const suggesting = [
      "Too many tokens.",
      "This prompt cannot be processed",
      "content length of 900000 bytes",
    ];
    for (const message of suggesting) {
      for (const error of await failuresOf(test, { status: 400, body: { message } })) {
        assert.deepEqual(
          [error.kind, error.retryable, error.overflow?.certain],
          ["request_failed", false, false],
        );
      }
    }
    const others = ["Unknown field: foo", "max_tokens must be at most 8192", "Could not process image"];
    for (const message of others) {
      for (const error of await failuresOf(test, { status: 400, body: { message } }))
        assert.equal(error.overflow, null, message);
    }
  });

  it("too large for a minute's tokens → no wait helps", async (test) => {
    const message =
      "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 7018, please reduce your message size and try again.";
    for (const status of [413, 429]) {
      for (const error of await failuresOf(test, {
        status,
        body: { error: { code: "rate_limit_exceeded", message } },
      })) {
        assert.deepEqual(error.overflow, { certain: true, limit: 6000, requested: 7018 });
        assert.deepEqual([error.kind, error.retryable], ["context_overflow", false]);
      }
    }
  });
});

describe("model errors: how long to wait", () => {
  const retryInfo = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" };
  const cases: [how: string, headers: Record<string, string>, body: object, milliseconds: number | null][] = [
    [
      "Gemini's retryDelay",
      {},
      [
        {
          error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Quota exceeded", details: [retryInfo] },
        },
      ],
      7000,
    ],
    ["a sentence", {}, { error: { message: "Rate limit reached. Please try again in 2m59.5s." } }, 179_500],
    ["a sentence in milliseconds", {}, { error: { message: "Please try again in 20ms. Visit us." } }, 20],
    ["seconds in words", {}, { message: "Please retry after 12 seconds" }, 12_000],
    ["a field", {}, { error: { message: "Slow down", retry_after: 3 } }, 3000],
    ["retry-after-ms before retry-after", { "retry-after": "7", "retry-after-ms": "1500" }, {}, 1500],
    [
      "a used-up limit",
      {
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "6m0s",
        "x-ratelimit-remaining-requests": "5",
        "x-ratelimit-reset-requests": "24h",
      },
      {},
      360_000,
    ],
    [
      "limits that are not used up",
      { "x-ratelimit-remaining-tokens": "9", "x-ratelimit-reset-tokens": "6m0s" },
      {},
      null,
    ],
    ["nothing", {}, { error: { message: "Too many requests" } }, null],
  ];
  for (const [how, headers, body, milliseconds] of cases) {
    it(`${how} → ${milliseconds}`, async (test) => {
      for (const error of await failuresOf(test, { status: 429, headers, body })) {
        assert.deepEqual([error.kind, error.retryable], ["rate_limited", true]);
        assert.equal(error.retryAfterMs, milliseconds);
      }
    });
  }

  it("a time to come, in seconds or milliseconds or as a date", async (test) => {
    const soon = Date.now() + 50_000;
    const told = [
      {
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-tokens-reset": new Date(soon).toISOString(),
      },
      { "x-ratelimit-reset": String(soon) },
      { "x-ratelimit-reset": String(Math.ceil(soon / 1000)) },
    ];
    for (const headers of told) {
      for (const { retryAfterMs } of await failuresOf(test, { status: 429, headers, body: {} }))
        assert.ok(
          retryAfterMs !== null && retryAfterMs > 1000 && retryAfterMs <= 51_000,
          String(retryAfterMs),
        );
    }
  });
});
