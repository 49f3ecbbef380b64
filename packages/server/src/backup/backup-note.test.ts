import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { NOTE_FILE, readNote } from "./backup-note.ts";

test("the note of a backup: read from a file; a link, a pipe and a directory are none", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "note-"));
  t.after(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "cluster"));
  writeFileSync(join(directory, "cluster/PG_VERSION"), "18");
  const path = join(directory, NOTE_FILE);
  const elsewhere = join(directory, "elsewhere");
  writeFileSync(elsewhere, JSON.stringify({ format: 1, architecture: process.arch }));
  writeFileSync(path, JSON.stringify({ format: 1, architecture: process.arch }));
  assert.equal(readNote(directory).format, 1);
  for (const put of [
    () => symlinkSync(elsewhere, path),
    () => execFileSync("mkfifo", [path]),
    () => mkdirSync(path),
  ]) {
    rmSync(path, { recursive: true });
    put();
    assert.throws(() => readNote(directory), {
      message: `${directory} is not a backup: it has no readable ${NOTE_FILE}.`,
    });
  }
});
