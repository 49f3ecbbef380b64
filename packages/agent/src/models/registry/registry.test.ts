import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { ask, exchange, modelErrorOf } from "../../../test-support/models/exchange.ts";
import { apiKey, startDouble } from "../../../test-support/models/providers.ts";
import type { ProviderKind } from "../ai-sdk/provider.ts";
import type { Model, ModelRequest } from "../model.ts";
import { createModelRegistry } from "./registry.ts";

type Effort = NonNullable<ModelRequest["effort"]>;

const rehearsal: Model = {
  id: "rehearsal/steps",
  contextWindow: 100_000,
  maxOutputTokens: 10_000,
  async *stream() {},
};
/** An address without Ollama. */
const noOllama = { OLLAMA_HOST: "127.0.0.1:1" };

async function folder(test: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "models-"));
  test.after(() => rm(path, { recursive: true }));
  return path;
}

async function fileWith(test: TestContext, content: unknown): Promise<string> {
  const path = join(await folder(test), "models.json");
  await writeFile(path, JSON.stringify(content));
  return path;
}

const FREE = { input: 0, output: 0, cache_read: 0, cache_write: 0, date: "2026-09-23" };
const OPUS = { input: 5, output: 25, cache_read: 0.5, cache_write: 6.25, date: "2026-09-23" };

describe("registry without a models file", () => {
  it("no key and no Ollama → only the rehearsal model", async () => {
    const registry = await createModelRegistry({ environment: noOllama, rehearsal });
    assert.deepEqual(registry.list(), [
      {
        id: "rehearsal/steps",
        provider: "rehearsal",
        context_window: 100_000,
        max_output_tokens: 10_000,
        price: FREE,
      },
    ]);
    assert.equal(registry.get("rehearsal/steps")?.stream, rehearsal.stream);
    for (const id of ["anthropic/claude-opus-5", "rehearsal/other", "", "/", "anthropic/", "x"]) {
      assert.equal(registry.get(id), null, id);
    }
    assert.equal(registry.defaultModel, null);
  });

  it("default options → the rehearsal model is there", async () => {
    const registry = await createModelRegistry({ environment: noOllama });
    assert.deepEqual(
      registry.list().map(({ id }) => id),
      ["rehearsal/steps"],
    );
    assert.equal(registry.get("rehearsal/steps", { contextWindow: 4000 })?.maxOutputTokens, 500);
  });

  it("a key in the environment → the models of its provider", async () => {
    const environment = { ...noOllama, ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" };
    const registry = await createModelRegistry({ environment, rehearsal });
    const listed = new Map(registry.list().map((info) => [info.id, info]));
    assert.equal(listed.get("anthropic/claude-opus-5")?.context_window, 1_000_000);
    assert.equal(listed.get("openai/gpt-5")?.context_window, 400_000);
    assert.equal(listed.get("openai/gpt-5")?.max_output_tokens, 32_000);
    assert.ok(![...listed.keys()].some((id) => /audio|claude-2|embedding/.test(id)));
  });

  it("an unlisted model → accepted, and the assumed context window is logged once", async () => {
    const said: string[] = [];
    const environment = { ...noOllama, ANTHROPIC_API_KEY: "k" };
    const registry = await createModelRegistry({
      environment,
      rehearsal,
      log: (message) => said.push(message),
    });
    assert.equal(registry.get("anthropic/unheard-of")?.contextWindow, 200_000);
    registry.get("anthropic/unheard-of");
    assert.equal(said.length, 1);
    assert.match(said[0] ?? "", /anthropic\/unheard-of; 200000 tokens are assumed/);
  });

  it("a running Ollama → its models", async (test) => {
    const ollama = createServer((request, response) => {
      assert.equal(request.url, "/api/tags");
      response.end(JSON.stringify({ models: [{ name: "qwen3:8b", size: 5 }] }));
    });
    ollama.listen(0, "127.0.0.1");
    await once(ollama, "listening");
    test.after(() => void ollama.close());
    const { port } = ollama.address() as AddressInfo;
    const environment = { OLLAMA_HOST: `0.0.0.0:${port}`, OLLAMA_CONTEXT_LENGTH: "65536" };
    const registry = await createModelRegistry({ environment, rehearsal });
    assert.deepEqual(registry.list()[0], {
      id: "ollama/qwen3:8b",
      provider: "ollama",
      context_window: 65_536,
      max_output_tokens: 8192,
      price: null,
    });
    assert.equal(registry.get("ollama/qwen3:8b")?.maxOutputTokens, 8192);
  });

  it("an Ollama that hangs → given up after 300 ms", async (test) => {
    const hanging = createServer(() => {});
    hanging.listen(0, "127.0.0.1");
    await once(hanging, "listening");
    test.after(() => {
      hanging.closeAllConnections();
      hanging.close();
    });
    const { port } = hanging.address() as AddressInfo;
    const start = performance.now();
    const registry = await createModelRegistry({
      environment: { OLLAMA_HOST: `127.0.0.1:${port}` },
      rehearsal,
    });
    assert.equal(registry.list().length, 1);
    assert.ok(performance.now() - start < 30_000);
  });
});

describe("registry with a models file", () => {
  const providers = {
    anthropic: { kind: "anthropic" },
    local: { kind: "openai-compatible", base_url: "http://127.0.0.1:9/v1/" },
  };

  it("only the file's models, nothing is detected", async (test) => {
    const models = [
      { id: "anthropic/claude-opus-5", context_window: 150_000, max_output_tokens: 9000, default: true },
      { id: "local/small" },
    ];
    const file = await fileWith(test, { providers, models });
    const registry = await createModelRegistry({ file, environment: { OPENAI_API_KEY: "k" }, rehearsal });
    assert.deepEqual(
      registry
        .list()
        .map(({ id, context_window, max_output_tokens, price }) => [
          id,
          context_window,
          max_output_tokens,
          price,
        ]),
      [
        ["anthropic/claude-opus-5", 150_000, 9000, OPUS],
        ["local/small", 32_768, 4096, null],
        ["rehearsal/steps", 100_000, 10_000, FREE],
      ],
    );
    assert.equal(registry.defaultModel, "anthropic/claude-opus-5");
    const usage = {
      ...{ input_tokens: 1_000_000, output_tokens: 100_000 },
      ...{ cache_read_input_tokens: 1_000_000, cache_creation_input_tokens: 0 },
    };
    assert.equal(registry.cost("anthropic/claude-opus-5", usage), 5 + 2.5 + 0.5, "from the cache for less");
    assert.equal(registry.cost("local/small", usage), null);
    assert.equal(registry.cost("nobody/nothing", usage), null);
    assert.equal(registry.cost("rehearsal/steps", usage), 0);
    for (const id of ["anthropic/claude-opus-5", "local/small", "nobody/nothing", "rehearsal/steps"])
      assert.equal(registry.totalCost(id, usage)?.toFixed(9), registry.cost(id, usage)?.toFixed(9), id);
    assert.equal(registry.get("openai/gpt-5"), null);
    assert.equal(registry.get("anthropic/claude-sonnet-5")?.contextWindow, 1_000_000);
  });

  it("what a cache keeps for an hour costs 1.6 times what it keeps for five minutes", async (test) => {
    const file = await fileWith(test, { providers, models: [] });
    const registry = await createModelRegistry({ file, environment: {}, rehearsal });
    const usage = {
      ...{ input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0 },
      ...{ cache_creation_input_tokens: 100_000 },
    };
    for (const [forHour, dollars] of [
      [0, 0.625],
      [40_000, 0.775],
      [100_000, 1],
    ] as const) {
      const more = { ...usage, cache_creation_1h_input_tokens: forHour };
      for (const cost of [registry.cost, registry.totalCost])
        assert.equal(cost("anthropic/claude-opus-5", more)?.toFixed(6), dollars.toFixed(6));
    }
  });

  it("a price in the file replaces the tables', also for the rehearsal model; its date is told", async (test) => {
    const price = { date: "2026-11-01", input: 2.5, output: 10, cache_read: 0.000001 };
    const models = [
      { id: "anthropic/claude-opus-5", price },
      { id: "local/small", price: { ...price, cache_write: 4 } },
      { id: "rehearsal/steps", price },
    ];
    const file = await fileWith(test, { providers, models });
    const registry = await createModelRegistry({ file, environment: {}, rehearsal });
    const listed = registry.list().map((model) => model.price);
    assert.deepEqual(listed, [
      { ...price, cache_write: 2.5 },
      { ...price, cache_write: 4 },
      { ...price, cache_write: 2.5 },
    ]);
    const usage = {
      ...{ input_tokens: 1_000_000, output_tokens: 1_000_000, cache_read_input_tokens: 1_000_000 },
      ...{ cache_creation_input_tokens: 1_000_000, cache_creation_1h_input_tokens: 500_000 },
    };
    for (const [id, dollars] of [
      ["anthropic/claude-opus-5", 2.5 + 10 + 0.000001 + 1.25 + 2],
      ["local/small", 2.5 + 10 + 0.000001 + 2 + 3.2],
      ["rehearsal/steps", 2.5 + 10 + 0.000001 + 1.25 + 2],
    ] as const)
      assert.equal(registry.cost(id, usage)?.toFixed(9), dollars.toFixed(9), id);
    assert.equal(registry.get("rehearsal/steps")?.listPrice?.tiers[0].input, 2_500_000);
  });

  it("the tables' prices are those that their package calculates", async (test) => {
    const { calcPrice } = await import("@pydantic/genai-prices");
    const file = await fileWith(test, {
      providers: { anthropic: { kind: "anthropic" }, openai: { kind: "openai" } },
      models: [],
    });
    const registry = await createModelRegistry({ file, environment: {}, rehearsal });
    for (const name of [
      "anthropic/claude-sonnet-4-5",
      "anthropic/claude-opus-5",
      "openai/gpt-5",
      "openai/gpt-4o",
    ])
      for (const input of [1, 199_000, 200_000, 200_001, 300_000]) {
        const [providerId = "", model = ""] = name.split("/");
        const [read, written] = [Math.floor(input / 3), Math.floor(input / 7)];
        const theirs = calcPrice(
          { input_tokens: input, output_tokens: 77, cache_read_tokens: read, cache_write_tokens: written },
          model,
          { providerId },
        );
        const ours = registry.cost(name, {
          ...{ input_tokens: input - read - written, output_tokens: 77 },
          ...{ cache_read_input_tokens: read, cache_creation_input_tokens: written },
        });
        assert.equal(ours?.toFixed(9), theirs?.total_price.toFixed(9), `${name} ${input}`);
      }
  });

  it("an hour's cache is Anthropic's own, or what the file says", async (test) => {
    const own = { kind: "anthropic", api_key_env: "K" };
    const other = { ...own, base_url: "http://gateway.internal/v1" };
    const named = {
      own,
      other,
      told: { ...other, hour_cache: true },
      without: { ...own, hour_cache: false },
    };
    const file = await fileWith(test, { providers: named, models: [] });
    const registry = await createModelRegistry({ file, environment: { K: "k" }, rehearsal });
    assert.deepEqual(
      Object.keys(named).map((name) => registry.get(`${name}/claude-opus-5`)?.hasHourCache),
      [true, false, true, false],
    );
  });

  it("many requests together cost what short prompts do, where long ones cost more", async (test) => {
    const file = await fileWith(test, { providers, models: [] });
    const registry = await createModelRegistry({ file, environment: {}, rehearsal });
    const usage = {
      ...{ input_tokens: 1_000_000, output_tokens: 0 },
      ...{ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    };
    assert.equal(registry.cost("anthropic/claude-sonnet-4-5", usage), 6);
    assert.equal(registry.totalCost("anthropic/claude-sonnet-4-5", usage), 3);
    assert.equal(registry.totalCost("anthropic/claude-sonnet-4-5", { ...usage, input_tokens: 0 }), 0);
    const row = { ...usage, model: "anthropic/claude-sonnet-4-5", turns: 7, active_ms: 1_000_000_000 };
    assert.equal(registry.totalCost("anthropic/claude-sonnet-4-5", row), 3);
  });

  it("a window can be reduced, and set if it is unknown", async (test) => {
    const file = await fileWith(test, { providers, models: [{ id: "local/told", context_window: 50_000 }] });
    const registry = await createModelRegistry({ file, environment: {}, rehearsal });
    assert.equal(registry.get("local/told", { contextWindow: 20_000 })?.contextWindow, 20_000);
    assert.equal(registry.get("local/told", { contextWindow: 90_000 })?.contextWindow, 50_000);
    assert.equal(registry.get("local/untold", { contextWindow: 90_000 })?.contextWindow, 90_000);
    assert.equal(registry.get("rehearsal/steps", { contextWindow: 3000 })?.contextWindow, 3000);
  });

  it("an invalid file → rejected", async (test) => {
    const file = await fileWith(test, { providers: { x: { kind: "y" } }, models: [{ id: "z" }] });
    await assert.rejects(createModelRegistry({ file, environment: {}, rehearsal }), {
      name: "ModelsFileError",
    });
  });

  it("requests use the upstream name and the current key", async (test) => {
    const double = await startDouble("openai-compatible");
    test.after(() => double.close());
    const keyFile = join(await folder(test), "key");
    const file = await fileWith(test, {
      providers: {
        gpu: { kind: "openai-compatible", base_url: `${double.baseUrl}/`, api_key_file: keyFile },
      },
      models: [{ id: "gpu/qwen", upstream_model: "Qwen/Qwen3-32B" }],
    });
    const registry = await createModelRegistry({ file, environment: {}, rehearsal });
    const model = registry.get("gpu/qwen");
    assert.ok(model !== null);
    const missing = modelErrorOf(await exchange(model, ask("Hello")));
    assert.deepEqual([missing.kind, missing.retryable, double.requests.length], ["authentication", false, 0]);
    await writeFile(keyFile, "sk-old-key-0123456789\n");
    assert.equal(modelErrorOf(await exchange(model, ask("Hello"))).kind, "authentication");
    await writeFile(keyFile, `${apiKey}\n`);
    double.enqueue({ blocks: [{ text: "Hello" }] });
    assert.equal((await exchange(model, ask("Hello"))).text, "Hello");
    assert.equal(double.requests.at(-1)?.body.model, "Qwen/Qwen3-32B");
  });

  it("thinking of a model and headers of its provider are in the requests", async (test) => {
    const double = await startDouble("anthropic");
    test.after(() => double.close());
    const claude = { kind: "anthropic", base_url: double.baseUrl, api_key_env: "CLAUDE_KEY" };
    const file = await fileWith(test, {
      providers: { claude: { ...claude, headers: { "x-team": "core" } } },
      models: [
        { id: "claude/claude-opus-5", thinking: { budget_tokens: 2_048 }, max_output_tokens: 8_192 },
        { id: "claude/claude-sonnet-5", thinking: "off" },
      ],
    });
    const registry = await createModelRegistry({ file, environment: { CLAUDE_KEY: apiKey }, rehearsal });
    for (const id of ["claude/claude-opus-5", "claude/claude-sonnet-5"]) {
      const model = registry.get(id);
      assert.ok(model !== null);
      double.enqueue({ blocks: [{ text: "Hello" }] });
      await exchange(model, ask("Hello"));
    }
    const [budget, off] = double.requests;
    assert.deepEqual(budget?.body.thinking, { type: "enabled", budget_tokens: 2_048 });
    assert.notEqual((off?.body.thinking as { type?: string } | undefined)?.type, "adaptive");
    assert.equal(budget?.headers["x-team"], "core");
  });

  it("a key variable is read at each request; a missing one is named in the error", async (test) => {
    const double = await startDouble("anthropic");
    test.after(() => double.close());
    const claude = { kind: "anthropic", base_url: double.baseUrl, api_key_env: "CLAUDE_KEY" };
    const file = await fileWith(test, { providers: { claude } });
    const environment: Record<string, string | undefined> = {};
    const said: string[] = [];
    const log = (message: string) => void said.push(message);
    const registry = await createModelRegistry({ file, environment, rehearsal, log });
    assert.deepEqual(said, ["There is no API key for claude: the variable CLAUDE_KEY is not set."]);
    const model = registry.get("claude/claude-opus-5");
    assert.ok(model !== null);
    assert.match(modelErrorOf(await exchange(model, ask("Hello"))).message, /CLAUDE_KEY is not set/);
    environment.CLAUDE_KEY = apiKey;
    double.enqueue({ blocks: [{ text: "Hello" }] });
    assert.equal((await exchange(model, ask("Hello"))).text, "Hello");
  });

  it("the default key variable is used only with the provider's own base URL", async (test) => {
    const double = await startDouble("anthropic");
    test.after(() => double.close());
    const file = await fileWith(test, {
      providers: { claude: { kind: "anthropic", base_url: double.baseUrl } },
    });
    const registry = await createModelRegistry({
      file,
      environment: { ANTHROPIC_API_KEY: apiKey },
      rehearsal,
    });
    const model = registry.get("claude/claude-opus-5");
    assert.ok(model !== null);
    await exchange(model, ask("Hello"));
    assert.equal(double.requests[0]?.headers["x-api-key"], undefined);
  });
});

describe("what a model can is said by the registry, not by its name", () => {
  const requestOf = async (test: TestContext, kind: ProviderKind, model: object, effort?: Effort) => {
    const double = await startDouble(kind);
    test.after(() => double.close());
    const provider = { kind, base_url: double.baseUrl, api_key_env: "KEY" };
    const file = await fileWith(test, { providers: { gw: provider }, models: [{ id: "gw/m", ...model }] });
    const registry = await createModelRegistry({ file, environment: { KEY: apiKey }, rehearsal });
    const found = registry.get("gw/m");
    assert.ok(found !== null);
    double.enqueue({ blocks: [{ text: "Hello" }] });
    const request = { ...ask("Hello"), ...(effort === undefined ? {} : { effort }) };
    assert.equal((await exchange(found, request)).error, null);
    return { max: found.maxOutputTokens, body: double.requests[0]?.body ?? {} };
  };

  for (const name of ["gpt-5", "openai/gpt-5", "prod-gpt5", "my-deployment"]) {
    it(`Responses: ${name} reasons`, async (test) => {
      const { body } = await requestOf(test, "openai", { upstream_model: name }, "high");
      assert.equal((body.reasoning as { effort?: string } | undefined)?.effort, "high");
      assert.deepEqual(body.include, ["reasoning.encrypted_content"]);
      assert.equal(body.model, name);
    });
  }

  it("Responses: the highest efforts are high for a name that is not OpenAI's", async (test) => {
    const { body } = await requestOf(test, "openai", { upstream_model: "openai/gpt-5" }, "max");
    assert.equal((body.reasoning as { effort?: string } | undefined)?.effort, "high");
  });

  it("Responses: models without reasoning get none", async (test) => {
    const plain = [
      { upstream_model: "gpt-4.1" },
      { upstream_model: "openai/gpt-4o-mini" },
      { upstream_model: "prod-gpt5", reasoning: false },
    ];
    for (const model of plain) {
      const { body } = await requestOf(test, "openai", model, "high");
      assert.deepEqual([body.reasoning, body.include], [undefined, undefined]);
    }
    const { body } = await requestOf(
      test,
      "openai",
      { upstream_model: "gpt-4.1-tuned", reasoning: true },
      "low",
    );
    assert.equal((body.reasoning as { effort?: string } | undefined)?.effort, "low");
  });

  it("Chat Completions: the effort is sent unless the model does not reason", async (test) => {
    const sent = async (model: object) =>
      (await requestOf(test, "openai-compatible", model, "max")).body.reasoning_effort;
    assert.deepEqual([await sent({}), await sent({ reasoning: false })], ["high", undefined]);
  });

  for (const name of [
    "claude-opus-4-5",
    "claude-sonnet-4-20250514",
    "anthropic/claude-haiku-4.5",
    "kimi-k2",
  ]) {
    it(`Messages: the output limit of ${name} includes its thinking`, async (test) => {
      const limit = { upstream_model: name, context_window: 200_000, max_output_tokens: 32_000 };
      for (const effort of ["low", "high", "max"] as const) {
        const { body } = await requestOf(test, "anthropic", limit, effort);
        assert.equal(body.max_tokens, 32_000);
        const thinking = body.thinking as { type: string; budget_tokens: number };
        assert.equal(thinking.type, "enabled");
        assert.ok(thinking.budget_tokens >= 1024 && thinking.budget_tokens < 32_000);
      }
      const unlimited = await requestOf(test, "anthropic", { upstream_model: name }, "high");
      assert.equal(unlimited.body.max_tokens, unlimited.max);
      const small = await requestOf(test, "anthropic", { ...limit, max_output_tokens: 1_500 }, "high");
      assert.deepEqual([small.body.max_tokens, small.body.thinking], [1_500, undefined]);
    });
  }

  it("Messages: newer models decide themselves, by the effort", async (test) => {
    for (const name of ["claude-opus-5", "anthropic/claude-sonnet-4-6", "claude-of-tomorrow"]) {
      const limit = { upstream_model: name, max_output_tokens: 32_000 };
      const { body } = await requestOf(test, "anthropic", limit, "high");
      assert.equal(body.max_tokens, 32_000);
      assert.equal((body.thinking as { type?: string } | undefined)?.type, "adaptive");
      assert.deepEqual(body.output_config, { effort: "high" });
    }
  });

  it("a model under a gateway's name has the window and the price of its own", async (test) => {
    const gateway = (kind: ProviderKind) => ({ kind, base_url: "http://127.0.0.1:9/v1" });
    const file = await fileWith(test, {
      providers: { o: gateway("openai"), a: gateway("anthropic") },
      models: [
        { id: "o/gpt", upstream_model: "openai/gpt-5" },
        { id: "a/opus", upstream_model: "anthropic/claude-opus-5" },
        { id: "o/own", upstream_model: "team/of-nobody" },
      ],
    });
    const registry = await createModelRegistry({ file, environment: {}, rehearsal });
    const listed = new Map(registry.list().map((info) => [info.id, info]));
    assert.equal(listed.get("o/gpt")?.context_window, 400_000);
    assert.equal(listed.get("a/opus")?.context_window, 1_000_000);
    assert.deepEqual(listed.get("a/opus")?.price, OPUS);
    assert.deepEqual([listed.get("o/own")?.context_window, listed.get("o/own")?.price], [128_000, null]);
    assert.equal(registry.get("o/openai/gpt-5")?.contextWindow, 400_000);
  });
});
