import { globSync } from "node:fs";
import { join } from "node:path";
import { makeDatabase } from "../tests/made-database/made-database.ts";
import { checks } from "./check.ts";
import { filesOfTheDay } from "./files-of-the-day.ts";
import { roomOfMachine } from "./has-room.ts";
import { effortFor, timeNodeStarts } from "./measure-effort.ts";
import { inOrder } from "./order-of-files.ts";
import { runFiles } from "./run-files.ts";
import { runTestFile, type Tally } from "./run-test-file.ts";
import { slowest, type TimedFile } from "./slowest-files.ts";

/**
 * The time limit of a test file. It allows for a slow machine, on which a two-minute file takes most of it.
 */
const FILE_LIMIT_MS = 30 * 60_000;

/** The number of test files above which a shared database is made. Up to it, each service makes its own. */
const WORTH_A_DATABASE = 10;

const ROOT = join(import.meta.dirname, "..");
const TEST_FILES = [
  "packages/*/{src,test-support}/**/*.test.ts",
  "tests/**/*.test.ts",
  "script/**/*.test.ts",
  "bench/**/*.test.ts",
];

const names = process.argv.slice(2);
const total: Tally = { passed: 0, failed: 0 };
const failures: string[] = [];
const timedFiles: TimedFile[] = [];
if (names.length === 0) add(await runChecks());
const files = testFiles(names);
const effort = effortFor(process.env.TEST_EFFORT, timeNodeStarts);
process.env.TEST_EFFORT = effort;
if (effort === "sampled")
  console.log("A slow machine: of what tests vary, a part is tried. TEST_EFFORT=whole tries all.");
const removeDatabase = files.length > WORTH_A_DATABASE ? makeDatabase() : () => undefined;
const began = performance.now();
await runFiles(inOrder(files), runFile, roomOfMachine());
removeDatabase();
console.log(slowest(timedFiles, (performance.now() - began) / 1000));
if (failures.length > 0) console.log(`Failed:\n${failures.join("\n")}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
// Exit explicitly, since the remains of a file that hangs would keep this process alive.
process.exit(total.failed === 0 ? 0 : 1);

/**
 * Returns the named test files, on any day; without names those of today. No match counts as a failure: the
 * names match nothing, or the suite is missing.
 */
function testFiles(names: readonly string[]): string[] {
  const files = globSync(TEST_FILES, { cwd: ROOT }).sort();
  const chosen = files.filter((file) => names.length === 0 || names.some((name) => file.includes(name)));
  if (chosen.length === 0) {
    console.error("No test file matches.");
    add({ passed: 0, failed: 1 });
  }
  if (names.length > 0 || process.env.TEST_EFFORT === "whole") return chosen;
  const todays = filesOfTheDay(chosen);
  const left = chosen.length - todays.length;
  console.log(`${left} long files are run on other days; TEST_EFFORT=whole script/test runs all.`);
  return todays;
}

/** Runs the checks, each of which counts as a test. */
async function runChecks(): Promise<Tally> {
  const results = await checks();
  const failed = results.filter((result) => !result.ok).length;
  return { passed: results.length - failed, failed };
}

async function runFile(file: string): Promise<void> {
  const began = performance.now();
  const result = await runTestFile(join(ROOT, file), FILE_LIMIT_MS);
  timedFiles.push({ file, seconds: (performance.now() - began) / 1000 });
  failures.push(...result.failures.map((failure) => `${file}: ${failure}`));
  add(result);
}

function add({ passed, failed }: Tally): void {
  total.passed += passed;
  total.failed += failed;
}
