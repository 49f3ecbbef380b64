import assert from "node:assert/strict";
import { test } from "node:test";
import { placeholderPattern, withTokenPrefix } from "./token-prefix.ts";

test("a placeholder has the whole prefix that tells the kind of its secret, and nothing else of it", () => {
  for (const [secret, prefix] of [
    ["sk-ant-api03-abc", "sk-ant-"],
    ["sk-proj-abc", "sk-"],
    ["github_pat_11A", "github_pat_"],
    ["ghp_abc", "ghp_"],
    ["a password", ""],
    ["my-sk-ant-abc", ""],
  ] as const)
    assert.equal(withTokenPrefix(secret, "PLACE"), `${prefix}PLACE`);
});

test("a placeholder is found whole, under any prefix or none", () => {
  const found = (text: string) => [...text.matchAll(placeholderPattern(["PL.ACE"]))].map(([whole]) => whole);
  assert.deepEqual(found("x sk-ant-PL.ACE, ghp_PL.ACE; PL.ACE PLxACE"), [
    "sk-ant-PL.ACE",
    "ghp_PL.ACE",
    "PL.ACE",
  ]);
});
