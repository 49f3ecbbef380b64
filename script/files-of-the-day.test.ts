import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesOfTheDay, LISTS } from "./files-of-the-day.ts";

const DAY_MS = 86_400_000;
const ROOT = join(import.meta.dirname, "..");
const listed = LISTS.flat();

test("files that are in no list are run each day, and each other one on one of three days", () => {
  const days = [0, 1, 2].map((day) => filesOfTheDay([...listed, "a.test.ts"], day * DAY_MS));
  for (const files of days) assert.equal(files.at(-1), "a.test.ts");
  assert.deepEqual(days.flatMap((files) => files.slice(0, -1)).toSorted(), listed.toSorted());
});

test("the lists name files that are there, each once", () => {
  assert.deepEqual(
    listed.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
  assert.equal(new Set(listed).size, listed.length);
});
