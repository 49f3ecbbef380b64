import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { notTodays } from "../effort/effort.ts";
import { FILES, SCENARIOS } from "./not-in-a-cluster.ts";

const SCENARIO_FILES = globSync(join(import.meta.dirname, "../acceptance/scenarios/*.test.ts")).sort();
/**
 * Scenarios that every run includes, since every machine takes part in them: streams and previews,
 * idempotency keys, uploads in parts.
 */
const ALWAYS = ["event-deltas", "idempotency", "uploads"];
/** The number of other scenarios of which one is run each time. All of them take a quarter of an hour. */
const SAMPLE = 16;
const FILE_LIMIT_MS = 900_000;

for (const [place, path] of SCENARIO_FILES.entries()) {
  const name = basename(path, ".test.ts");
  const skip = FILES[name] ?? (!ALWAYS.includes(name) && notTodays("cluster", place, SAMPLE));
  test(`through the balancer: ${name}`, { timeout: FILE_LIMIT_MS, skip }, async ({ signal }) => {
    const { code, said } = await runInCluster(path, signal);
    assert.equal(code, 0, said);
    assert.match(said, /^ℹ pass [1-9]/m, "something was run");
  });
}

test("what is not run in a cluster is there", () => {
  const names = SCENARIO_FILES.map((path) => basename(path, ".test.ts"));
  assert.deepEqual(
    Object.keys(FILES).filter((name) => !names.includes(name)),
    [],
  );
  const sources = SCENARIO_FILES.map((path) => readFileSync(path, "utf8")).join("\n");
  assert.deepEqual(
    Object.keys(SCENARIOS).filter((title) => !sources.includes(`"${title}"`)),
    [],
  );
});

async function runInCluster(path: string, signal: AbortSignal): Promise<{ code: number; said: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, ["--test", "--test-force-exit", "--test-reporter=spec", path], {
    env: { ...env, TEST_CLUSTER: "1" },
    stdio: ["ignore", "pipe", "inherit"],
    signal,
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [code] = await once(child, "close");
  return { code, said };
}
