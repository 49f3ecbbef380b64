import assert from "node:assert/strict";
import { test } from "node:test";
import { uploadPath } from "./upload-path.ts";

test("a file keeps its name, in letters that need no quotes; what is no name becomes one", () => {
  const nameOf = (name: string) =>
    uploadPath("file_1", name).replace(/^\/mnt\/session\/uploads\/file_1\//, "");
  assert.equal(nameOf("data.csv"), "data.csv");
  assert.equal(nameOf("Größe (1).tar.gz"), "Größe__1_.tar.gz");
  assert.equal(nameOf("../etc/passwd"), ".._etc_passwd");
  assert.equal(nameOf(`${"x".repeat(200)}.csv`).length, 100);
  for (const none of ["", ".", ".."]) assert.equal(nameOf(none), "file");
});
