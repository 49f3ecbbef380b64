import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { perlProgram } from "./perl-program.ts";
import { syscallNumbers } from "./syscalls.ts";

test("system-calls.pl: its numbers are those of the system call filter, for both architectures", () => {
  const text = readFileSync(new URL("../scripts/system-calls.pl", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^ {2}(\w+) +=> \[(\d+), +(\d+)\],$/gm)];
  assert.ok(rows.length > 15, `${rows.length} rows`);
  for (const [, name = "", x64, arm64] of rows) {
    assert.equal(Number(x64), syscallNumbers("x64")[name], name);
    assert.equal(Number(arm64), syscallNumbers("arm64")[name], name);
  }
});

test("perlProgram: files run in order, with calls by name; a failed call ends the program with 125", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "perl-program-"));
  t.after(() => rm(directory, { recursive: true }));
  const files = Object.entries({
    "first.pl": 'sub make { call("a directory", "mkdirat", -100, $_[0], 0755) }\n',
    "second.pl": 'make($ARGV[0]); print "made\\n"; make($ARGV[0]);\n',
  }).map(([name, text]) => {
    writeFileSync(join(directory, name), text);
    return pathToFileURL(join(directory, name));
  });
  const { status, stdout, stderr } = spawnSync(
    "perl",
    ["-e", perlProgram(...files), join(directory, "new")],
    {
      encoding: "utf8",
      env: { LC_ALL: "C" },
    },
  );
  assert.deepEqual([status, stdout, stderr], [125, "made\n", "a directory: File exists\n"]);
});
