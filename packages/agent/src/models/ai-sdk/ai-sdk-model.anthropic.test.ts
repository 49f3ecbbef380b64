import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { ask, continued, exchange, lookTool, modelErrorOf } from "../../../test-support/models/exchange.ts";
import { modelAt, startDouble } from "../../../test-support/models/providers.ts";
import type { Body, Reply } from "../../../test-support/models/wire-double.ts";
import type { AssistantBlock, ModelRequest } from "../model.ts";

const thoughtful = {
  blocks: [
    { thinking: "First this." },
    { redacted: "c2VhbGVk" },
    { text: "So I look." },
    { tool: "Look", id: "call_a", input: { b: 1, a: [2] } },
  ],
};
const done = { blocks: [{ text: "Done." }] };

async function start(test: TestContext, ...replies: Reply[]) {
  const double = await startDouble("anthropic");
  test.after(() => double.close());
  double.enqueue(...replies);
  return { double, model: modelAt(double.baseUrl, "anthropic") };
}

describe("Anthropic model: thinking", () => {
  it("is sent back with its signature, in its position, and accepted", async (test) => {
    const { double, model } = await start(test, thoughtful, thoughtful, done);
    const request = { ...ask("Look."), effort: "high" as const };
    const first = await exchange(model, request);
    assert.deepEqual(
      first.blocks.map(({ type }) => type),
      ["thinking", "thinking", "text", "tool_call"],
    );
    const second = continued(request, stored(first.blocks), "seen");
    const answer = await exchange(model, second);
    assert.equal(answer.error, null);
    assert.equal(
      (await exchange(model, continued(second, stored(answer.blocks), "again"))).finish?.reason,
      "end_turn",
    );
    const content = contentOf(double.requests[2]?.body, 1);
    assert.deepEqual(
      content.map(({ type }) => type),
      ["thinking", "redacted_thinking", "text", "tool_use"],
    );
    assert.equal(content[1]?.data, "c2VhbGVk");
  });

  it("is rejected by the double when anything before it has changed", async (test) => {
    const { model } = await start(test, thoughtful);
    const { blocks } = await exchange(model, ask("Look."));
    const changes: ModelRequest[] = [
      continued(ask("Look!"), blocks, "seen"),
      continued({ ...ask("Look."), system: "You help a lot." }, blocks, "seen"),
      continued({ ...ask("Look."), tools: [{ ...lookTool, description: "Else." }] }, blocks, "seen"),
      continued(ask("Look."), tampered(blocks), "seen"),
    ];
    for (const change of changes) {
      const error = modelErrorOf(await exchange(model, change));
      assert.deepEqual([error.kind, error.retryable], ["request_failed", false]);
      assert.match(error.message, /Invalid `signature`/);
    }
  });

  it("has the operator's budget, within the output limit", async (test) => {
    const { double } = await start(test, done);
    const model = modelAt(double.baseUrl, "anthropic", {
      thinking: { budget_tokens: 1024 },
      model: "claude-opus-4-1",
    });
    await exchange(model, { ...ask("Think."), effort: "low" });
    assert.deepEqual(double.requests[0]?.body.thinking, { type: "enabled", budget_tokens: 1024 });
    assert.equal(double.requests[0]?.body.max_tokens, 4000);
  });

  it("without a budget, follows the agent's effort", async (test) => {
    const { double, model } = await start(test, done, done);
    await exchange(model, { ...ask("Think."), effort: "max" });
    await exchange(model, ask("Think."));
    assert.deepEqual(double.requests[0]?.body.output_config, { effort: "max" });
    assert.equal(double.requests[1]?.body.output_config, undefined);
  });
});

describe("Anthropic model: context window", () => {
  it("an overflow during the response is a context_overflow error", async (test) => {
    const { model } = await start(test, { blocks: [{ text: "So much" }], stop: "window" });
    assert.equal(modelErrorOf(await exchange(model, ask("Tell."))).kind, "context_overflow");
  });
});

describe("cache markers", () => {
  it("are on the last tool, the system prompt and the last two ends of input only", async (test) => {
    const look = { blocks: [{ tool: "Look", id: "call_a", input: {} }] };
    const { double, model } = await start(test, look, look, look, done);
    let request = { ...ask("Look."), tools: [lookTool, { ...lookTool, name: "Peer" }] };
    for (let turn = 0; turn < 4; turn++) {
      const { blocks } = await exchange(model, request);
      request = continued(request, blocks, `result ${turn}`) as typeof request;
    }
    assert.deepEqual(
      double.requests.map(({ body }) => markedPlaces(body)),
      [
        ["system.0", "messages.0.content.0", "tools.1"],
        ["system.0", "messages.0.content.0", "messages.2.content.0", "tools.1"],
        ["system.0", "messages.2.content.0", "messages.4.content.0", "tools.1"],
        ["system.0", "messages.4.content.0", "messages.6.content.0", "tools.1"],
      ],
    );
  });

  it("treat a result and the message after it as one end", async (test) => {
    const { double, model } = await start(
      test,
      { blocks: [{ tool: "Look", id: "call_a", input: {} }] },
      done,
    );
    const { blocks } = await exchange(model, ask("Look."));
    const request = continued(ask("Look."), blocks, "seen");
    const word = { role: "user" as const, content: [{ type: "text" as const, text: "Stop there." }] };
    await exchange(model, { ...request, messages: [...request.messages, word] });
    assert.deepEqual(markedPlaces(double.requests[1]?.body), [
      "system.0",
      "messages.0.content.0",
      "messages.2.content.1",
      "tools.0",
    ]);
  });

  for (const [cacheTtl, marker] of [
    [undefined, { type: "ephemeral" }],
    ["5m", { type: "ephemeral" }],
    ["1h", { type: "ephemeral", ttl: "1h" }],
  ] as const)
    it(`for ${cacheTtl ?? "as long as it is"} → all say so, and what is kept for an hour is counted`, async (test) => {
      const forHour = cacheTtl === "1h" ? 400 : 0;
      const usage = { input: 3, cacheRead: 900, cacheWrite: 400, forHour };
      const { double, model } = await start(test, { ...done, usage });
      const { finish } = await exchange(model, { ...ask("Look."), cacheTtl });
      const body = double.requests[0]?.body;
      for (const marked of [body?.system, body?.tools, contentOf(body, 0)] as (Content[] | undefined)[])
        assert.deepEqual(marked?.at(-1)?.cache_control, marker);
      assert.equal(finish?.usage.cache_creation_input_tokens, 400);
      assert.equal(finish?.usage.cache_creation_1h_input_tokens, forHour === 0 ? undefined : 400);
    });

  it("of a request that none continues are on what is in the cache, and not on its end", async (test) => {
    const { double, model } = await start(
      test,
      { blocks: [{ tool: "Look", id: "call_a", input: {} }] },
      done,
      done,
    );
    const { blocks } = await exchange(model, ask("Look."));
    const request = continued(ask("Look."), blocks, "seen");
    await exchange(model, { ...request, isContinued: false });
    await exchange(model, { ...ask("Look."), isContinued: false });
    assert.deepEqual(
      double.requests.slice(1).map(({ body }) => markedPlaces(body)),
      [
        ["system.0", "messages.0.content.0", "tools.0"],
        ["system.0", "tools.0"],
      ],
    );
  });
});

type Content = Record<string, unknown> & { type: string };

function contentOf(body: Body | undefined, message: number): Content[] {
  const messages = body?.messages as { content: Content[] }[] | undefined;
  return messages?.[message]?.content ?? [];
}

function stored(blocks: readonly AssistantBlock[]): AssistantBlock[] {
  return JSON.parse(JSON.stringify(blocks)) as AssistantBlock[];
}

function tampered(blocks: readonly AssistantBlock[]): AssistantBlock[] {
  return blocks.map((block) =>
    block.type === "thinking" ? { ...block, text: `${block.text} Or that.` } : block,
  );
}

/** Returns the paths of all objects with a cache marker. */
function markedPlaces(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, child]) =>
    key === "cache_control" ? [] : markedPlaces(child, path === "" ? key : `${path}.${key}`),
  );
  return "cache_control" in value ? [path, ...inner] : inner;
}
