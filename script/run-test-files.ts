import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Tally = { passed: number; failed: number };

/** `failures` has each failed test's file and name, and the beginning of its error. */
export type FilesResult = Tally & { failures: string[] };

const PROGRAM = join(import.meta.dirname, "test-process.ts");

/** Milliseconds that a process may take to end in order, after it was told to. */
const END_MS = 10_000;

/**
 * Runs test files in one process of their own and prints their results. A process that has not ended after
 * `limitMs` counts as one more failure: a test hangs, or something that it started still runs. So does a
 * process that fails before its tests have ended.
 *
 * @param settings Further environment variables of the process.
 */
export async function runTestFiles(
  paths: readonly string[],
  limitMs: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<FilesResult> {
  const dir = mkdtempSync(join(tmpdir(), "berth-result-"));
  const file = join(dir, "result.json");
  const { NODE_TEST_CONTEXT: _, ...own } = process.env;
  const child = spawn(process.execPath, [PROGRAM, file, ...paths], {
    env: { ...own, ...settings },
    stdio: ["ignore", "inherit", "inherit"],
  });
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    child.kill("SIGTERM");
  }, limitMs);
  const end = setTimeout(() => child.kill("SIGKILL"), limitMs + END_MS);
  const [code, signal] = await once(child, "exit");
  clearTimeout(limit);
  clearTimeout(end);
  const { isWhole, ...result } = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as FilesResult & { isWhole: boolean })
    : { passed: 0, failed: 0, failures: [], isWhole: false };
  rmSync(dir, { recursive: true });
  if (isWhole && !isLate) return result;
  const fault = isLate
    ? `had not ended after ${limitMs / 1000} s`
    : `ended with ${signal ?? code} before its tests`;
  return {
    ...result,
    failed: result.failed + 1,
    failures: [...result.failures, `${paths.join(" ")}: their process ${fault}`],
  };
}
