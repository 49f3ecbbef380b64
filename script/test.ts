import { once } from "node:events";
import { globSync } from "node:fs";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { checks } from "./check.ts";

/** Test files that run at the same time. CI has two cores, and tests mostly wait for processes. */
const CONCURRENCY = 3;

/** A test file that takes longer hangs, and counts as failed. */
const FILE_TIMEOUT_MS = 20 * 60_000;

const ROOT = join(import.meta.dirname, "..");
const TEST_FILES = [
  "packages/*/{src,test-support}/**/*.test.ts",
  "tests/**/*.test.ts",
  "script/**/*.test.ts",
  "bench/**/*.test.ts",
];

type Tally = { passed: number; failed: number };

const names = process.argv.slice(2);
const checkTally = names.length === 0 ? await runChecks() : { passed: 0, failed: 0 };
const testTally = await runTests(testFiles(names));
const failed = checkTally.failed + testTally.failed;
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${checkTally.passed + testTally.passed} passed, ${failed} failed`);

function testFiles(names: readonly string[]): string[] {
  const files = globSync(TEST_FILES, { cwd: ROOT }).sort();
  return files.filter((file) => names.length === 0 || names.some((name) => file.includes(name)));
}

/** Counts each check as a test. */
async function runChecks(): Promise<Tally> {
  const results = await checks();
  const failed = results.filter((result) => !result.ok).length;
  return { passed: results.length - failed, failed };
}

/** A run without any test file fails: the names match nothing, or the suite is missing. */
async function runTests(files: readonly string[]): Promise<Tally> {
  if (files.length === 0) {
    console.error("No test file matches.");
    return { passed: 0, failed: 1 };
  }
  const tally = { passed: 0, failed: 0 };
  const stream = run({
    cwd: ROOT,
    files: files.map((file) => join(ROOT, file)),
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
