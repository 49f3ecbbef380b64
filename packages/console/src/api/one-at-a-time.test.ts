import assert from "node:assert/strict";
import { test } from "node:test";
import { OneAtATime } from "./one-at-a-time.ts";

test("what is asked for while an act is under way is dropped; afterwards the next one counts", () => {
  const acts: string[] = [];
  const one = new OneAtATime();
  one.begin(() => {
    acts.push("first");
    one.begin(() => acts.push("within the first"));
  });
  one.begin(() => acts.push("second"));
  one.end();
  one.end();
  one.begin(() => acts.push("third"));
  assert.deepEqual(acts, ["first", "third"]);
});
