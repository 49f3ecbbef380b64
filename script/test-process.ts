// Runs the test files of its arguments in this process, prints their results, and writes them as JSON into the
// file that is the first argument, also when the process is ended before its tests: then `isWhole` is false.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import type { FilesResult } from "./run-test-files.ts";

/** The default time limit of a test. */
const TEST_LIMIT_MS = 10 * 60_000;

/** Characters of an error that are repeated after the last file. */
const SHOWN_CHARACTERS = 3_000;

const [resultFile = "", ...files] = process.argv.slice(2);
const result: FilesResult & { isWhole: boolean } = { passed: 0, failed: 0, failures: [], isWhole: false };
process.once("SIGTERM", () => process.exit(1));
process.once("exit", () => writeFileSync(resultFile, JSON.stringify(result)));
const stream = run({ files, isolation: "none", timeout: TEST_LIMIT_MS });
stream.on("test:pass", ({ skip, todo, details }) => {
  if (skip === undefined && todo === undefined && details.type !== "suite") result.passed += 1;
});
stream.on("test:fail", ({ name, file = "", todo, details: { error, type } }) => {
  if (todo === undefined && (type !== "suite" || !isOfItsTests(error))) result.failed += 1;
  const told = String(error.cause instanceof Error ? error.cause.message : (error.cause ?? error.message));
  const place = relative(process.cwd(), file);
  result.failures.push(`${place}: ${name}\n${told.slice(0, SHOWN_CHARACTERS)}`);
});
const report = stream.compose(resultsOnly).compose(spec());
report.pipe(process.stdout, { end: false });
await once(report, "end");
result.isWhole = true;

/** Whether a suite failed only since a test of it did, which is counted by itself. */
function isOfItsTests(error: Error): boolean {
  return "failureType" in error && error.failureType === "subtestsFailed";
}

type ReportedEvent = { type: string };

/** Drops the totals, which are printed once for all files. */
async function* resultsOnly(events: AsyncIterable<ReportedEvent>): AsyncGenerator<ReportedEvent> {
  for await (const event of events) {
    if (event.type !== "test:summary" && event.type !== "test:diagnostic") yield event;
  }
}
