import { once } from "node:events";
import { globSync } from "node:fs";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { checks } from "./check.ts";

/** Files at a time. Most of a test's time is waiting for processes, and two cores is what CI has. */
const CONCURRENCY = 3;

/** No test file takes longer; one that does hangs, and is a failure. */
const FILE_TIMEOUT_MS = 20 * 60_000;

const root = join(import.meta.dirname, "..");
const TEST_FILES = [
  "packages/*/{src,test-support}/**/*.test.ts",
  "tests/**/*.test.ts",
  "script/**/*.test.ts",
  "bench/**/*.test.ts",
];

type Tally = { passed: number; failed: number };

const names = process.argv.slice(2);
const checked = names.length === 0 ? await runChecks() : { passed: 0, failed: 0 };
const tested = await runTests(testFiles(names));
const failed = checked.failed + tested.failed;
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${checked.passed + tested.passed} passed, ${failed} failed`);

function testFiles(wanted: readonly string[]): string[] {
  const files = globSync(TEST_FILES, { cwd: root }).sort();
  return files.filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)));
}

/** Each check counts as a test. */
async function runChecks(): Promise<Tally> {
  const results = await checks();
  const failed = results.filter((result) => !result.ok).length;
  return { passed: results.length - failed, failed };
}

/** A run without any test is a failure: a filter that matches nothing, or a suite that got lost. */
async function runTests(files: readonly string[]): Promise<Tally> {
  if (files.length === 0) {
    console.error("No test file matches.");
    return { passed: 0, failed: 1 };
  }
  const tally = { passed: 0, failed: 0 };
  const stream = run({
    cwd: root,
    files: files.map((file) => join(root, file)),
    concurrency: CONCURRENCY,
    timeout: FILE_TIMEOUT_MS,
  });
  stream.on("test:summary", ({ counts, file }) => {
    if (file !== undefined) return;
    tally.passed = counts.passed;
    tally.failed = counts.tests - counts.passed - counts.skipped - counts.todo;
  });
  const report = stream.compose(spec());
  report.pipe(process.stdout, { end: false });
  await once(report, "end");
  return tally;
}
