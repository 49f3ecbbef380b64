import { once } from "node:events";
import { run } from "node:test";
import { spec } from "node:test/reporters";

export type Tally = { passed: number; failed: number };

/** A test without a limit of its own that takes longer hangs, and fails. */
const TEST_LIMIT_MS = 10 * 60_000;

/**
 * Runs one test file in a process of its own and prints its results.
 * A file that has not ended after `limitMs` counts as one failure more: it hangs, or something it started still runs.
 */
export async function runTestFile(path: string, limitMs: number): Promise<Tally> {
  const tally = { passed: 0, failed: 0 };
  const abort = new AbortController();
  const stream = run({ files: [path], signal: abort.signal, timeout: TEST_LIMIT_MS });
  const limit = setTimeout(
    () => abort.abort(new Error(`The file had not ended after ${limitMs / 1000} s.`)),
    limitMs,
  );
  stream.on("test:summary", ({ counts, file }) => {
    if (file !== undefined) return;
    tally.passed = counts.passed;
    tally.failed = counts.tests - counts.passed - counts.skipped - counts.todo;
  });
  const report = stream.compose(resultsOnly).compose(spec());
  report.pipe(process.stdout, { end: false });
  await once(report, "end");
  clearTimeout(limit);
  return tally;
}

type ReportedEvent = { type: string };

/** Leaves out the totals, which are printed once for all files. */
async function* resultsOnly(events: AsyncIterable<ReportedEvent>): AsyncGenerator<ReportedEvent> {
  for await (const event of events) {
    if (event.type !== "test:summary" && event.type !== "test:diagnostic") yield event;
  }
}
