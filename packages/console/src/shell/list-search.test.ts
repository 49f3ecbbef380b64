import assert from "node:assert/strict";
import { test } from "node:test";
import { hasText, listQueryOf, readListSearch } from "./list-search.ts";

test("an address is read, whatever stands in it", () => {
  assert.deepEqual(readListSearch({ q: "x", since: "week", archived: true, other: 1 }), {
    q: "x",
    since: "week",
    archived: true,
  });
  assert.deepEqual(readListSearch({ q: "", since: "year", archived: "yes" }), {});
  assert.deepEqual(readListSearch({ q: ["a"], since: { a: 1 } }), {});
  assert.deepEqual(readListSearch({ q: 42 }), { q: "42" });
});

test("the service filters by time, to the minute, and leaves out archived objects unless they are asked for", () => {
  const now = Date.parse("2026-03-08T12:00:30.500Z");
  assert.deepEqual(listQueryOf({ since: "day", archived: true, q: "x" }, now), {
    "created_at[gte]": "2026-03-07T12:00:00.000Z",
    include_archived: true,
  });
  assert.deepEqual(listQueryOf({}, now), {});
});

test("text is sought in every word, in any case", () => {
  assert.equal(hasText(["Reviewer", null, "agent_1"], { q: "review" }), true);
  assert.equal(hasText(["Reviewer", null, "agent_1"], { q: "AGENT_1" }), true);
  assert.equal(hasText(["Reviewer", null], { q: "null" }), false);
  assert.equal(hasText([], {}), true);
});
