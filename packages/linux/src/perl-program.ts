import { readFileSync } from "node:fs";

const SYSTEM_CALLS = readFileSync(new URL("../scripts/system-calls.pl", import.meta.url), "utf8");

/**
 * Returns the text of a Perl program, for `perl -e`, that makes system calls. It consists of
 * `scripts/system-calls.pl` and these files, in order. Files are read synchronously, so call it once, at
 * module load.
 */
export function perlProgram(...files: readonly URL[]): string {
  return [SYSTEM_CALLS, ...files.map((file) => readFileSync(file, "utf8"))].join("\n");
}
