import assert from "node:assert/strict";
import { test } from "node:test";
import type { Health, HealthHost } from "@berth/sdk";
import { readHealthSearch } from "./health-search.ts";
import { checkName, hostState, summaryOf, takenShare } from "./health-words.ts";

const health = (part: Partial<Health>) =>
  ({ fault: null, checks: [], sessions: { due: 0, due_seconds: 0 }, ...part }) as Health;
const check = (state: "yes" | "degraded" | "no") => ({ name: "a", state, detail: "b" });
const NOW = Date.parse("2026-11-25T12:00:00Z");

test("the worst comes first", () => {
  const waiting = { due: 1, due_seconds: 121 } as Health["sessions"];
  const titles = [
    health({ fault: "sandbox", checks: [check("no")] }),
    health({ checks: [check("no"), check("degraded")] }),
    health({ checks: [check("degraded")], sessions: waiting }),
    health({ checks: [check("degraded"), check("yes")] }),
    health({ checks: [check("degraded"), check("degraded")] }),
    health({ checks: [check("yes")], sessions: { ...waiting, due_seconds: 5 } }),
  ].map((one) => summaryOf(one).title);
  assert.deepEqual(titles, [
    "No sessions run",
    "1 check failed",
    "Sessions wait",
    "1 check degraded",
    "2 checks degraded",
    "All is well",
  ]);
});

test("a host is online while it is seen", () => {
  const host = (part: Partial<HealthHost>) =>
    ({ seen_at: "2026-11-25T11:59:50Z", draining: false, ...part }) as HealthHost;
  const texts = [
    host({}),
    host({ draining: true }),
    host({ seen_at: "2026-11-25T11:59:00Z", draining: true }),
    host({ seen_at: null }),
  ].map((one) => hostState(one, NOW).text);
  assert.deepEqual(texts, ["Online", "Draining", "Offline", "Never seen"]);
});

test("a disk is taken in part, and never more than whole", () => {
  const shares = [
    [100, 25],
    [100, 120],
    [0, 0],
  ].map(([size_bytes = 0, free_bytes = 0]) => takenShare({ size_bytes, free_bytes }));
  assert.deepEqual(shares, [0.75, 0, 0]);
});

test("checks have names of words, and an address is read, whatever stands in it", () => {
  assert.deepEqual(["data_directory", "api_role"].map(checkName), ["Data directory", "API role"]);
  assert.deepEqual(readHealthSearch({ tab: "api", faults: true }), { tab: "api", faults: true });
  assert.deepEqual(readHealthSearch({ tab: "x", faults: "true" }), {});
});
