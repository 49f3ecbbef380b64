import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "@berth/sdk";
import { fits, listQuery, readFilters, searchesHere } from "./session-filters.ts";

const session = { id: "sess_a", title: "Fix the Parser", owner_id: "usr_a", status: "idle" } as Session;

test("an address is read, whatever stands in it", () => {
  const filters = readFilters({
    q: "x",
    status: ["idle", "waiting", "asleep"],
    since: "week",
    archived: true,
    agent: "agent_a",
  });
  assert.deepEqual(filters, {
    q: "x",
    status: ["idle", "waiting"],
    since: "week",
    archived: true,
    agent: "agent_a",
  });
  assert.deepEqual(readFilters({ status: "running" }), { status: ["running"] });
  assert.deepEqual(readFilters({ q: "", status: 7, since: "ever", archived: "yes", agent: ["a"] }), {});
});

test("the service filters by status, agent, environment and time", () => {
  const now = Date.parse("2026-11-25T12:00:30.500Z");
  assert.deepEqual(
    listQuery({ status: ["waiting", "idle", "running"], agent: "agent_a", since: "day" }, now),
    {
      statuses: ["idle", "running"],
      agent_id: "agent_a",
      "created_at[gte]": "2026-11-24T12:00:00.000Z",
    },
  );
  assert.deepEqual(listQuery({}, now), {});
});

test("title, owner and waiting are filtered here", () => {
  assert.ok(fits(session, false, { q: "parser" }) && fits(session, false, { q: "SESS_A" }));
  assert.ok(!fits(session, false, { q: "lexer" }) && !fits(session, false, { owner: "usr_b" }));
  assert.ok(fits(session, true, { status: ["waiting"] }) && !fits(session, false, { status: ["waiting"] }));
  assert.ok(fits(session, false, { status: ["waiting", "idle"] }));
  assert.deepEqual(
    [{}, { q: "a" }, { owner: "u" }, { status: ["waiting" as const] }, { status: ["idle" as const] }].map(
      searchesHere,
    ),
    [false, true, true, true, false],
  );
});
