import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const PROGRAM = join(import.meta.dirname, "release.ts");

test("script/release: a place that is not its own is left alone, and named in one sentence", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "berth-release-arguments-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const notes = join(directory, "notes.txt");
  writeFileSync(notes, "mine");
  const faults: [args: string[], message: string][] = [
    [[directory], `${directory} holds other files, such as notes.txt; name an empty directory.`],
    [[notes], `${notes} is not a directory.`],
    [[directory, notes], "one directory is expected, and 2 arguments were given."],
  ];
  for (const [args, message] of faults) {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" });
    assert.deepEqual([status, stderr], [2, `release: ${message}\n`]);
  }
  assert.deepEqual(readdirSync(directory), ["notes.txt"]);
});
