import assert from "node:assert/strict";
import { test } from "node:test";
import { directoriesOf, type TreeNode, treeOf } from "./tree.ts";

function shape(nodes: readonly TreeNode[]): unknown[] {
  return nodes.map(({ name, path, children }) =>
    children === null ? path : { [`${name} ${path}`]: shape(children) },
  );
}

test("directories come first, and names in order", () => {
  assert.deepEqual(shape(treeOf(["b.md", "scripts/run.sh", "a.md", "scripts/deep/x", "reference/y"])), [
    { "reference reference/": ["reference/y"] },
    { "scripts scripts/": [{ "deep scripts/deep/": ["scripts/deep/x"] }, "scripts/run.sh"] },
    "a.md",
    "b.md",
  ]);
});

test("absolute paths keep their slash", () => {
  assert.deepEqual(shape(treeOf(["/notes/a.md", "/b.md"])), [{ "notes /notes/": ["/notes/a.md"] }, "/b.md"]);
});

test("a file and a directory may have one name", () => {
  assert.deepEqual(shape(treeOf(["a", "a/b"])), [{ "a a/": ["a/b"] }, "a"]);
});

test("the directories above a path", () => {
  assert.deepEqual(directoriesOf("/notes/deep/a.md"), ["/notes/", "/notes/deep/"]);
  assert.deepEqual(directoriesOf("a/b/c"), ["a/", "a/b/"]);
  assert.deepEqual(directoriesOf("a"), []);
});
