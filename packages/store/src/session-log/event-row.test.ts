import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newUuid } from "@berth/contract";
import { eventJson, sessionEvent } from "./event-row.ts";

describe("event row", () => {
  const created = Date.parse("2999-01-31T12:00:00.010Z");
  const event = (processed_at: Date | null) => ({
    id: newUuid(),
    type: "session.status_running",
    body: "{}",
    created_at: new Date(created),
    processed_at,
  });

  test("processed_at is never before created_at, whatever the clocks are", () => {
    for (const [marked, shown] of [
      [created - 9, created],
      [created, created],
      [created + 5, created + 5],
    ] as const) {
      const row = event(new Date(marked));
      assert.equal(sessionEvent(row).processed_at, new Date(shown).toISOString());
      assert.deepEqual(JSON.parse(eventJson(row)), sessionEvent(row));
    }
  });

  test("created_at is the stored time", () => {
    const stored = new Date("2026-11-28T17:00:00.123Z");
    assert.equal(sessionEvent({ ...event(null), created_at: stored }).created_at, stored.toISOString());
  });

  test("processed_at is null until the event is processed", () => {
    assert.equal(JSON.parse(eventJson(event(null))).processed_at, null);
  });
});
