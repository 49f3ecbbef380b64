import assert from "node:assert/strict";
import { test } from "node:test";
import { listQuery, readFilters, STATE_CHOICES } from "./session-filters.ts";

test("an address is read, whatever stands in it", () => {
  const filters = {
    q: "x",
    state: "max_turns",
    since: "week",
    archived: true,
    agent: "agent_a",
    deployment: "dep_a",
  } as const;
  assert.deepEqual(readFilters({ ...filters, status: ["idle"], waiting: true }), filters);
  const wrong = { q: "", state: "asleep", since: "ever", archived: "yes", agent: ["a"] };
  assert.deepEqual(readFilters(wrong), {});
  assert.equal(readFilters({ q: "x".repeat(300) }).q?.length, 200);
});

test("the service filters, and sorts by last activity", () => {
  const now = Date.parse("2026-11-25T12:00:30.500Z");
  const filters = { q: "fix", agent: "agent_a", owner: "usr_a", since: "day" } as const;
  assert.deepEqual(listQuery({ ...filters, deployment: "dep_a", state: "retries_exhausted" }, now), {
    sort: "updated_at",
    search: "fix",
    outcomes: ["retries_exhausted", "refusal"],
    agent_id: "agent_a",
    deployment_id: "dep_a",
    owner_id: "usr_a",
    "updated_at[gte]": "2026-11-24T12:00:00.000Z",
  });
  assert.deepEqual(listQuery({}, now), { sort: "updated_at" });
  const asked = STATE_CHOICES.map(({ value }) => JSON.stringify(listQuery({ state: value }, now)));
  assert.equal(new Set(asked).size, STATE_CHOICES.length, "each state asks for something of its own");
});
