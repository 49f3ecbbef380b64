import assert from "node:assert/strict";
import { test } from "node:test";
import { listQuery, readFilters } from "./session-filters.ts";

test("an address is read, whatever stands in it", () => {
  const filters = {
    q: "x",
    status: ["idle"] as const,
    since: "week",
    waiting: true,
    archived: true,
    agent: "agent_a",
  };
  assert.deepEqual(readFilters({ ...filters, status: ["idle", "asleep"] }), filters);
  assert.deepEqual(readFilters({ status: "running" }), { status: ["running"] });
  const wrong = { q: "", status: 7, since: "ever", waiting: "yes", archived: "yes", agent: ["a"] };
  assert.deepEqual(readFilters(wrong), {});
  assert.equal(readFilters({ q: "x".repeat(300) }).q?.length, 200);
});

test("the service filters", () => {
  const now = Date.parse("2026-11-25T12:00:30.500Z");
  const filters = { q: "fix", waiting: true, agent: "agent_a", owner: "usr_a", since: "day" } as const;
  assert.deepEqual(listQuery({ ...filters, status: ["idle", "running"] }, now), {
    title: "fix",
    statuses: ["idle", "running"],
    requires_action: true,
    agent_id: "agent_a",
    owner_id: "usr_a",
    "created_at[gte]": "2026-11-24T12:00:00.000Z",
  });
  assert.deepEqual(listQuery({}, now), {});
});
