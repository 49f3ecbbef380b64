import { globSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeDatabase } from "../tests/made-database/made-database.ts";
import { checks } from "./check.ts";
import { roomOfMachine } from "./has-room.ts";
import { effortFor, timeNodeStarts } from "./measure-effort.ts";
import { inOrder } from "./order-of-files.ts";
import { runJobs } from "./run-jobs.ts";
import { runTestFiles, type Tally } from "./run-test-files.ts";
import { slowest, type TimedFile } from "./slowest-files.ts";
import { testJobs } from "./test-jobs.ts";
import { dayOfRest, partOf, turnOfRest } from "./test-parts.ts";

/**
 * The time limit of a test process. It allows for a slow machine, on which a two-minute file takes most of it.
 */
const LIMIT_MS = 30 * 60_000;

/** The number of test files above which a shared database is made. Up to it, each service makes its own. */
const WORTH_A_DATABASE = 10;

const ROOT = join(import.meta.dirname, "..");
const TEST_FILES = [
  "packages/*/{src,test-support}/**/*.test.ts",
  "tests/**/*.test.ts",
  "script/**/*.test.ts",
  "bench/**/*.test.ts",
];

/** Tests that try a part of what they vary try all of it with these settings. */
const WHOLE = ["TEST_EFFORT", "TEST_CLUSTER", "TEST_CRASH", "TEST_ENGINES", "TEST_PODS"];

const OPTIONS = { all: { type: "boolean" }, daily: { type: "boolean" } } as const;
const { values, positionals: names } = parseArgs({ options: OPTIONS, allowPositionals: true });
const { all: isAll = false, daily: isDaily = false } = values;
const total: Tally = { passed: 0, failed: 0 };
const failures: string[] = [];
const timedFiles: TimedFile[] = [];
if (isAll) for (const name of WHOLE) process.env[name] = "whole";
if (names.length === 0) add(await runChecks());
const files = testFiles();
const effort = effortFor(process.env.TEST_EFFORT, timeNodeStarts);
process.env.TEST_EFFORT = effort;
if (effort === "sampled")
  console.log("A slow machine: of what tests vary, a part is tried. TEST_EFFORT=whole tries all.");
const removeDatabase = files.length > WORTH_A_DATABASE ? makeDatabase() : () => undefined;
const began = performance.now();
await runJobs(testJobs(inOrder(files), ROOT), runJob, roomOfMachine());
removeDatabase();
console.log(slowest(timedFiles, (performance.now() - began) / 1000));
if (failures.length > 0) console.log(`Failed:\n${failures.join("\n")}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
// Exit explicitly, since the remains of a file that hangs would keep this process alive.
process.exit(total.failed === 0 ? 0 : 1);

/**
 * Returns the named test files, of any part; without names those that are due. No match counts as a failure:
 * the names match nothing, or the suite is missing.
 */
function testFiles(): string[] {
  const files = globSync(TEST_FILES, { cwd: ROOT }).sort();
  const chosen = files.filter((file) =>
    names.length > 0 ? names.some((name) => file.includes(name)) : isDue(file),
  );
  if (chosen.length === 0) {
    console.error("No test file matches.");
    add({ passed: 0, failed: 1 });
  }
  if (names.length === 0 && !isAll)
    console.log(`${files.length - chosen.length} test files are not due; script/test --all runs all.`);
  return chosen;
}

/** Files that no part has are due, so that none is forgotten. */
function isDue(file: string): boolean {
  const part = partOf(file);
  return isAll || typeof part !== "number" || (isDaily && part === dayOfRest());
}

/** Runs the checks, each of which counts as a test. */
async function runChecks(): Promise<Tally> {
  const results = await checks(!isAll && !isDaily);
  const failed = results.filter((result) => !result.ok).length;
  return { passed: results.length - failed, failed };
}

/** Runs files in one process. */
async function runJob(files: readonly string[]): Promise<void> {
  const began = performance.now();
  const [first = ""] = files;
  const day = typeof partOf(first) === "number" ? { TEST_DAY: `${turnOfRest()}` } : {};
  const paths = files.map((file) => join(ROOT, file));
  const result = await runTestFiles(paths, LIMIT_MS, day);
  const seconds = (performance.now() - began) / 1000;
  timedFiles.push({ file: files.length === 1 ? first : `${first} and ${files.length - 1} more`, seconds });
  failures.push(...result.failures);
  add(result);
}

function add({ passed, failed }: Tally): void {
  total.passed += passed;
  total.failed += failed;
}
