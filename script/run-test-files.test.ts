import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import type { FilesResult } from "./run-test-files.ts";

const MODULE = join(import.meta.dirname, "run-test-files.ts");
const LEAVES_A_PROCESS = `
  import { spawn } from "node:child_process";
  import { test } from "node:test";
  test("passes", () => { spawn("sleep", ["60"]); });
`;

test("files that end: their tests are counted, and failures named with their file", async (t) => {
  const first =
    'import { test } from "node:test"; test("a", () => {}); test("b", () => { throw Error("no door"); });';
  const second =
    'import { test } from "node:test"; test("c", () => {}); test("d", { skip: true }, () => {});';
  const { failures, ...tally } = await run(t, [first, second], 60_000);
  assert.deepEqual(tally, { passed: 2, failed: 1 });
  assert.match(failures.join(), /0\.test\.mjs: b\nno door$/);
});

test("files that do not end, since a process they started still runs: a failure more, and no more waiting", async (t) => {
  const { passed, failed, failures } = await run(t, [LEAVES_A_PROCESS], 10_000);
  assert.deepEqual({ passed, failed }, { passed: 1, failed: 1 });
  assert.match(failures.join(), /0\.test\.mjs: their process had not ended after 10 s$/);
});

test("a process that ends before its tests: a failure, also for the files that were to come", async (t) => {
  const exits = 'import { test } from "node:test"; test("a", () => process.exit(0));';
  const { passed, failed, failures } = await run(t, [exits, exits], 60_000);
  assert.deepEqual({ passed, failed }, { passed: 0, failed: 1 });
  assert.match(failures.join(), /0\.test\.mjs .*1\.test\.mjs: their process ended with 0 before its tests$/);
});

/** Runs test files from a process of its own, since the test runner runs no files within a test. */
async function run(t: TestContext, texts: string[], limitMs: number): Promise<FilesResult> {
  const dir = await mkdtemp(join(tmpdir(), "run-test-file-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const files = texts.map((_, place) => join(dir, `${place}.test.mjs`));
  for (const [place, file] of files.entries()) await writeFile(file, texts[place] ?? "");
  const program = join(dir, "program.mjs");
  await writeFile(
    program,
    `const { runTestFiles } = await import(${JSON.stringify(MODULE)});
     const result = await runTestFiles(${JSON.stringify(files)}, ${limitMs});
     process.stderr.write(JSON.stringify(result), () => process.exit());`,
  );
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stderr } = await promisify(execFile)(process.execPath, [program], { env });
  return JSON.parse(stderr) as FilesResult;
}
