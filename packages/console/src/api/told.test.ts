import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "@berth/sdk";
import fc from "fast-check";
import { isNews, type Told, withTold } from "./told.ts";

const NOW = Date.parse("2026-11-01T10:00:00.000Z");
const at = (minutesAgo: number) => new Date(NOW - minutesAgo * 60_000).toISOString();
const session = (id: string, minutesAgo: number) => ({
  id,
  updated_at: at(0),
  resources: [],
  last_turn: { outcome: "end_turn" as const, ended_at: at(minutesAgo) },
});

test("an outcome is news once, a later one of the session again, and an old one never", () => {
  const told = withTold({}, [session("a", 5)], NOW);
  assert.equal(isNews({}, session("a", 5), NOW), true);
  assert.equal(isNews(told, session("a", 5), NOW), false);
  assert.equal(isNews(told, session("a", 1), NOW), true);
  assert.equal(isNews(told, session("b", 5), NOW), true);
  assert.equal(isNews({}, session("a", 60), NOW), false);
});

test("a clone that failed is an outcome, whatever is done with the session afterwards", () => {
  const error = { message: "No.", failed_at: at(5) };
  const resources = [{ url: "https://git.example.com/a/b", error }] as unknown as Session["resources"];
  const broken = { id: "a", last_turn: null, resources, updated_at: at(5) };
  assert.equal(isNews({}, broken, NOW), true);
  const told = withTold({}, [broken], NOW);
  assert.equal(isNews(told, { ...broken, updated_at: at(0) }, NOW), false, "it was renamed");
  assert.equal(isNews(told, { ...broken, last_turn: session("a", 1).last_turn }, NOW), true);
  assert.equal(isNews({}, { ...broken, resources: [] }, NOW), true, "as far as the session tells");
});

test("however tabs read the lists, each outcome is told once, and what is kept stays small", () => {
  const outcome = fc.record({ id: fc.constantFrom("a", "b", "c"), minute: fc.integer({ min: 0, max: 40 }) });
  const reads = fc.array(fc.array(outcome, { maxLength: 4 }), { maxLength: 12 });
  fc.assert(
    fc.property(reads, (lists) => {
      let told: Told = {};
      const shown: string[] = [];
      for (const list of lists) {
        // A list has a session once, with its newest outcome.
        const seen = new Map(list.map(({ id, minute }) => [id, session(id, minute)]));
        for (const one of seen.values())
          if (isNews(told, one, NOW)) {
            assert.ok(NOW - Date.parse(one.last_turn.ended_at) < 15 * 60_000);
            shown.push(`${one.id} ${one.last_turn.ended_at}`);
          }
        told = withTold(told, [...seen.values()], NOW);
        for (const one of seen.values()) assert.equal(isNews(told, one, NOW), false);
      }
      assert.ok(Object.keys(told).length <= 3);
    }),
  );
});
