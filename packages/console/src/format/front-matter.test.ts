import assert from "node:assert/strict";
import { test } from "node:test";
import { splitFrontMatter } from "./front-matter.ts";

test("the YAML at the beginning is apart from the text", () => {
  const text = "---\nname: triage\ndescription: Sorts.\n---\n\n# Triage\n---\nmore\n";
  assert.deepEqual(splitFrontMatter(text), {
    matter: "name: triage\ndescription: Sorts.",
    body: "\n# Triage\n---\nmore\n",
  });
  assert.deepEqual(splitFrontMatter("---\r\nname: a\r\n---\r\nb"), { matter: "name: a", body: "b" });
  assert.deepEqual(splitFrontMatter("---\nname: a\n---"), { matter: "name: a", body: "" });
  assert.deepEqual(splitFrontMatter("---\n---\nb"), { matter: "", body: "b" });
});

test("dashes elsewhere are the text's own", () => {
  for (const text of ["# A\n---\nb\n---\n", "---\nnever closed\n", "", "----\na\n----\n"])
    assert.deepEqual(splitFrontMatter(text), { matter: null, body: text });
});
