import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { removeTree } from "./remove-tree.ts";

function tree(t: TestContext): { directory: string; path: string } {
  const directory = mkdtempSync(join(tmpdir(), "remove-tree-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "tree");
  for (let index = 0; index < 200; index++) {
    mkdirSync(join(path, `${index}/deep`), { recursive: true });
    writeFileSync(join(path, `${index}/deep/file`), "");
  }
  return { directory, path };
}

test("removeTree: concurrent removals → the tree is gone when each resolves", async (t) => {
  const { directory, path } = tree(t);
  writeFileSync(join(directory, "kept"), "");
  symlinkSync(join(directory, "kept"), join(path, "link"));
  await Promise.all(
    Array.from({ length: 3 }, () => removeTree(path).then(() => assert.ok(!existsSync(path)))),
  );
  assert.ok(existsSync(join(directory, "kept")));
  await removeTree(path);
});

test("removeTree: one caller aborts → other callers still complete", async (t) => {
  const { path } = tree(t);
  const stopped = new AbortController();
  const first = removeTree(path, stopped.signal);
  const second = removeTree(path);
  stopped.abort();
  await assert.rejects(first, { name: "AbortError" });
  await second;
  assert.ok(!existsSync(path));
});
