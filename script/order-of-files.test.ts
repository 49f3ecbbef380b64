import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inOrder, LONGEST } from "./order-of-files.ts";

const names = (folder: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${folder}${String.fromCharCode(97 + n)}.test.ts`);

test("each file once, those of long folders first", () => {
  const files = [
    ...names("packages/agent/src/", 13),
    ...names("packages/sandbox/src/", 13),
    ...names("script/", 2),
    ...names("tests/crash/", 13),
  ];
  const ordered = inOrder(files);
  assert.deepEqual(ordered.toSorted(), files);
  const folders = ordered.map((file) => file.split("/").slice(0, -1).join("/"));
  assert.equal(folders.lastIndexOf("packages/sandbox/src"), 12);
  assert.equal(folders.lastIndexOf("tests/crash"), 25);
});

test("files of one folder are not neighbours among files of others", () => {
  const ordered = inOrder([...names("tests/acceptance/", 26), ...names("tests/kubernetes/", 12)]);
  const places = ordered.flatMap((file, place) => (file.startsWith("tests/kubernetes/") ? [place] : []));
  assert.ok(places.every((place, n) => n === 0 || place - (places[n - 1] ?? 0) > 1));
});

test("each of the longest files exists", () => {
  const root = join(import.meta.dirname, "..");
  assert.deepEqual(
    LONGEST.filter((file) => !existsSync(join(root, file))),
    [],
  );
});
