import { once } from "node:events";
import { run } from "node:test";
import { spec } from "node:test/reporters";

export type Tally = { passed: number; failed: number };

/** `failures` has each failed test's name and the beginning of its error. */
export type FileResult = Tally & { failures: string[] };

/** The default time limit of a test. */
const TEST_LIMIT_MS = 10 * 60_000;

/** Characters of an error that are repeated after the last file. */
const SHOWN_CHARACTERS = 3_000;

/**
 * Runs one test file in its own process and prints its results. A file that has not ended after `limitMs`
 * counts as one more failure: it hangs, or something it started still runs.
 */
export async function runTestFile(path: string, limitMs: number): Promise<FileResult> {
  const result: FileResult = { passed: 0, failed: 0, failures: [] };
  const abort = new AbortController();
  const stream = run({ files: [path], signal: abort.signal, timeout: TEST_LIMIT_MS });
  const limit = setTimeout(
    () => abort.abort(new Error(`The file had not ended after ${limitMs / 1000} s.`)),
    limitMs,
  );
  stream.on("test:summary", ({ counts, file }) => {
    if (file !== undefined) return;
    result.passed = counts.passed;
    result.failed = counts.tests - counts.passed - counts.skipped - counts.todo;
  });
  stream.on("test:fail", ({ name, details: { error } }) => {
    const told = String(error.cause instanceof Error ? error.cause.message : (error.cause ?? error.message));
    result.failures.push(`${name}\n${told.slice(0, SHOWN_CHARACTERS)}`);
  });
  const report = stream.compose(resultsOnly).compose(spec());
  report.pipe(process.stdout, { end: false });
  await once(report, "end");
  clearTimeout(limit);
  return result;
}

type ReportedEvent = { type: string };

/** Drops the totals, which are printed once for all files. */
async function* resultsOnly(events: AsyncIterable<ReportedEvent>): AsyncGenerator<ReportedEvent> {
  for await (const event of events) {
    if (event.type !== "test:summary" && event.type !== "test:diagnostic") yield event;
  }
}
