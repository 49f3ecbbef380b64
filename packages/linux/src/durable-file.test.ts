import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createDirectory } from "@berth/linux";

test("directories are made for their user alone, with those above them; what is there stays", (t) => {
  const root = mkdtempSync(join(tmpdir(), "berth-durable-"));
  t.after(() => rmSync(root, { recursive: true }));
  const path = join(root, "a/b/c");
  createDirectory(path);
  createDirectory(path);
  for (const made of [path, join(root, "a")]) assert.equal(statSync(made).mode & 0o777, 0o700);
  writeFileSync(join(root, "file"), "");
  for (const wrong of ["file", "file/below"])
    assert.throws(() => createDirectory(join(root, wrong)), /file is not a directory\./);
});

test("where the system makes no directory, one is refused", () => {
  assert.throws(() => createDirectory("/proc/none/below"), { code: "ENOENT" });
});
