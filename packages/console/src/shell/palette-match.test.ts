import assert from "node:assert/strict";
import { test } from "node:test";
import { matchRank } from "./palette-match.ts";

const best = (typed: string, texts: string[]) =>
  texts
    .map((text) => ({ text, rank: matchRank(text, typed) }))
    .filter((one): one is { text: string; rank: number } => one.rank !== null)
    .sort((one, other) => one.rank - other.rank)
    .map(({ text }) => text);

test("what begins with the words comes first, then what has them, then what has their letters in order", () => {
  const texts = ["Reparse everything", "The parser", "Parser", "Particular search", "Other"];
  assert.deepEqual(best("parse", texts), ["Parser", "The parser", "Reparse everything", "Particular search"]);
});

test("every word has to fit, in any order and case", () => {
  assert.deepEqual(best("SESSION new", ["New session", "Sessions"]), ["New session"]);
  assert.deepEqual(best("eq", ["Exquisite"]), [], "two letters have to stand side by side");
});

test("with nothing typed all fit", () => assert.equal(best("", ["a", "b"]).length, 2));
