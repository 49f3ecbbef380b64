import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import type { FileResult } from "./run-test-file.ts";

const MODULE = join(import.meta.dirname, "run-test-file.ts");
const LEAVES_A_PROCESS = `
  import { spawn } from "node:child_process";
  import { test } from "node:test";
  test("passes", () => { spawn("sleep", ["60"]); });
`;

test("a file that ends: its tests are counted, and failures named", async (t) => {
  const text =
    'import { test } from "node:test"; test("a", () => {}); test("b", () => { throw Error("no door"); });';
  assert.deepEqual(await run(t, text, 60_000), { passed: 1, failed: 1, failures: ["b\nno door"] });
});

test("a file that does not end, since a process it started still runs: a failure more, and no more waiting", async (t) => {
  const { passed, failed, failures } = await run(t, LEAVES_A_PROCESS, 2_000);
  assert.deepEqual({ passed, failed }, { passed: 1, failed: 1 });
  assert.match(failures.join(), /had not ended after 2 s|aborted/);
});

/** Runs a test file in its own process, since the test runner runs no files within a test. */
async function run(t: TestContext, text: string, limitMs: number): Promise<FileResult> {
  const dir = await mkdtemp(join(tmpdir(), "run-test-file-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, "it.test.mjs");
  await writeFile(file, text);
  const program = join(dir, "program.mjs");
  await writeFile(
    program,
    `const { runTestFile } = await import(${JSON.stringify(MODULE)});
     const result = await runTestFile(${JSON.stringify(file)}, ${limitMs});
     process.stderr.write(JSON.stringify(result), () => process.exit());`,
  );
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stderr } = await promisify(execFile)(process.execPath, [program], { env });
  return JSON.parse(stderr) as FileResult;
}
