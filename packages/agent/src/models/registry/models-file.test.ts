import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ModelsFileError, parseModelsFile, readModelsFile } from "./models-file.ts";

function issuesOf(file: unknown): readonly string[] {
  try {
    parseModelsFile(typeof file === "string" ? file : JSON.stringify(file));
  } catch (error) {
    if (error instanceof ModelsFileError) return error.issues;
    throw error;
  }
  return [];
}

describe("models file", () => {
  it("valid → parsed unchanged", () => {
    const file = {
      providers: {
        anthropic: { kind: "anthropic", api_key_env: "CLAUDE_KEY" },
        vllm: {
          kind: "openai-compatible",
          base_url: "http://gpu.internal:8000/v1",
          headers: { "X-Team": "blue" },
          idle_timeout_seconds: 300,
        },
      },
      models: [
        {
          id: "anthropic/claude-opus-5",
          thinking: { budget_tokens: 2048 },
          max_output_tokens: 8192,
          default: true,
        },
        { id: "vllm/qwen", upstream_model: "Qwen/Qwen3-32B", context_window: 65_536, images: true },
      ],
    };
    assert.deepEqual(parseModelsFile(JSON.stringify(file)), file);
  });

  it("invalid → all errors at once, each with its path", () => {
    const issues = issuesOf({
      providers: {
        claude: { kind: "anthropic", api_key_env: "A", api_key_file: "/b" },
        local: { kind: "openai-compatible" },
        far: { kind: "openai", base_url: "ftp://example.com" },
        other: { kind: "gemini" },
        hour: { kind: "openai", hour_cache: true },
      },
      models: [{ id: "claude" }, { id: "claude/x", context_window: -1, tempature: 1 }],
    });
    assert.deepEqual(
      issues.map((issue) => issue.split(": ")[0]),
      [
        "providers.claude",
        "providers.local",
        "providers.far.base_url",
        "providers.other.kind",
        "providers.hour",
        "models[0].id",
        "models[1].context_window",
        "models[1]",
      ],
    );
    assert.match(issues[0] ?? "", /both api_key_env and api_key_file/);
    assert.match(issues[1] ?? "", /needs a base_url/);
    assert.match(issues[4] ?? "", /must not have hour_cache/);
    assert.match(issues[7] ?? "", /tempature/);
  });

  it("conflicts between fields → reported", () => {
    const issues = issuesOf({
      providers: { a: { kind: "anthropic" }, o: { kind: "openai" }, rehearsal: { kind: "openai" } },
      models: [
        { id: "nobody/x" },
        { id: "a/x", default: true },
        { id: "a/x", default: true },
        { id: "a/y", context_window: 4096, max_output_tokens: 4096 },
        { id: "a/z", thinking: { budget_tokens: 4096 }, max_output_tokens: 4096 },
        { id: "o/x", thinking: "adaptive" },
        { id: "a/r", reasoning: true },
      ],
    });
    assert.deepEqual(
      issues.map((issue) => issue.split(": ")[0]),
      [
        "models[0].id",
        "models[2].id",
        "models[3].max_output_tokens",
        "models[4].thinking",
        "models[5].thinking",
        "models[6].reasoning",
        "models",
        "providers.rehearsal",
      ],
    );
  });

  it("a price needs its day, and decimals that are exact; the rehearsal model takes only that", () => {
    const price = { date: "2026-11-01", input: 1, output: 2 };
    const issues = issuesOf({
      providers: { a: { kind: "anthropic" } },
      models: [
        { id: "a/1", price: { ...price, date: "soon" } },
        { id: "a/2", price: { ...price, input: 0.0000001 } },
        { id: "a/3", price: { ...price, output: -1 } },
        { id: "a/4", price: { date: "2026-11-01", input: 1 } },
      ],
    });
    assert.deepEqual(
      issues.map((issue) => issue.split(": ")[0]),
      ["models[0].price.date", "models[1].price.input", "models[2].price.output", "models[3].price.output"],
    );
    assert.deepEqual(
      issuesOf({ providers: {}, models: [{ id: "rehearsal/steps", price, default: true, images: true }] }),
      [
        "models[0].images: is not for the built-in rehearsal model, which takes only a price",
        "models[0].default: is not for the built-in rehearsal model, which takes only a price",
      ],
    );
  });

  it("a provider named like an Object property → not defined", () => {
    assert.match(issuesOf({ providers: {}, models: [{ id: "constructor/x" }] })[0] ?? "", /models\[0\]\.id/);
  });

  it("not JSON → an error that quotes nothing of the file", () => {
    assert.deepEqual(issuesOf('{"providers": {"a": {"headers": {"x": "secret-1"} '), [
      "It is not valid JSON.",
    ]);
  });

  it("a directory or a device → an error that says so, and nothing waits", async () => {
    for (const [path, kind] of [
      ["/proc/self", "a directory"],
      ["/dev/zero", "a device"],
    ] as const)
      await assert.rejects(readModelsFile(path), { issues: [`${path} is ${kind}, and not a file.`] });
  });

  it("missing → an error with path and code", async () => {
    await assert.rejects(
      readModelsFile("/nowhere/models.json"),
      /\/nowhere\/models\.json cannot be read \(ENOENT\)/,
    );
  });
});
