import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "@berth/store/test-support/database";
import fc from "fast-check";
import { titlePattern } from "./title-pattern.ts";

test("titlePattern: a text is found in either case of its letters, and no character has a meaning of its own", async (t) => {
  const db = await testDatabase(t);
  const finds = async (title: string, part: string) => {
    const { rows } = await db.read.query({
      text: "select $1::text ~ $2 as found",
      values: [title, titlePattern(part)],
    });
    return rows[0]?.found;
  };
  const found: [string, string][] = [
    ["Größe ÄNDERN", "GRÖßE äNd"],
    ["ПРИВЕТ, мир", "привет, МИР"],
    ["Ἀθῆναι ΣΟΦΟΣ", "σοφος"],
    ["日本語 🎉 z", "語 🎉 Z"],
    ["a\\d [x] $1.50 (b)* ^|{2}-~\t'\"", "A\\D [X] $1.50 (B)* ^|{2}-~\t'\""],
  ];
  for (const [title, part] of found) assert.equal(await finds(title, part), true, `${part} in ${title}`);
  for (const part of ["a.c", "a*", "ab?", "[abc]", "\\w", "^a", "(?i)ABC", "***:abc", "a|b"])
    assert.equal(await finds("abc", part), false, part);
  const text = fc
    .string({ unit: "binary", minLength: 1, maxLength: 12 })
    .filter((one) => !one.includes("\0"));
  await fc.assert(
    fc.asyncProperty(text, async (part) => assert.equal(await finds(`x${part}y`, part), true, part)),
    { numRuns: 30 },
  );
});
