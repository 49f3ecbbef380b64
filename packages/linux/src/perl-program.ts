import { readFileSync } from "node:fs";

const SYSTEM_CALLS = readFileSync(new URL("../scripts/system-calls.pl", import.meta.url), "utf8");

/**
 * The text, for `perl -e`, of a program that makes system calls: `scripts/system-calls.pl` and then these files, in order.
 * Files are read synchronously: call it once, at module load.
 */
export function perlProgram(...files: readonly URL[]): string {
  return [SYSTEM_CALLS, ...files.map((file) => readFileSync(file, "utf8"))].join("\n");
}
