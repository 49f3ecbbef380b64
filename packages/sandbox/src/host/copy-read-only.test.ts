import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { copyReadOnly } from "./copy-read-only.ts";

test("a file is copied, or linked when it is read-only; a link, a pipe and a directory are refused at once", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "berth-copy-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = join(dir, "file");
  writeFileSync(file, "text", { mode: 0o600 });
  await copyReadOnly(file, join(dir, "copy"));
  assert.equal(readFileSync(join(dir, "copy"), "utf8"), "text");
  assert.equal(statSync(join(dir, "copy")).mode & 0o777, 0o444);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  chmodSync(file, 0o444);
  await copyReadOnly(file, join(dir, "same"));
  assert.equal(statSync(join(dir, "same")).ino, statSync(file).ino);

  symlinkSync(file, join(dir, "link"));
  execFileSync("mkfifo", [join(dir, "pipe")]);
  for (const [name, kind] of [
    ["link", "a link"],
    ["pipe", "a named pipe"],
    [".", "a directory"],
  ] as const) {
    const source = join(dir, name);
    const target = join(dir, "target");
    await assert.rejects(copyReadOnly(source, target), { message: `${source} is ${kind}, and not a file.` });
    assert.equal(existsSync(target), false);
  }
});
