import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, formatDollars, formatPlural, formatShort } from "./numbers.ts";
import { formatAgo, formatSeconds, formatUntil } from "./time.ts";

test("bytes, counts and money", () => {
  assert.deepEqual([0, 1, 1023, 1024, 1536, 5_242_880, 150 * 1024 ** 3].map(formatBytes), [
    "0 B",
    "1 B",
    "1023 B",
    "1 KiB",
    "1.5 KiB",
    "5 MiB",
    "150 GiB",
  ]);
  assert.deepEqual([0, 0.00123, 0.5, 1234.5].map(formatDollars), ["$0.00", "$0.0012", "$0.50", "$1,234.50"]);
  assert.deepEqual(
    [formatPlural(1, "file"), formatPlural(2, "file"), formatPlural(0, "entry", "entries")],
    ["1 file", "2 files", "0 entries"],
  );
  assert.equal(formatShort(13_601), "13.6K");
});

test("times", () => {
  assert.deepEqual([0, 0.44, 12, 200, 3600, 3840, 183_600].map(formatSeconds), [
    "0s",
    "0.4s",
    "12s",
    "3m 20s",
    "1h",
    "1h 4m",
    "2d 3h",
  ]);
  const now = Date.parse("2026-11-25T12:00:00Z");
  const ago = (seconds: number) => formatAgo(new Date(now - seconds * 1000).toISOString(), now);
  assert.deepEqual([-5, 5, 45, 240, 7200, 200_000].map(ago), [
    "just now",
    "just now",
    "1m ago",
    "4m ago",
    "2h ago",
    "2d ago",
  ]);
  assert.match(ago(400 * 86_400), /2025/);
});

test("what is to come", () => {
  const now = Date.parse("2026-11-25T12:00:00Z");
  const until = (seconds: number) => formatUntil(new Date(now + seconds * 1_000).toISOString(), now);
  assert.deepEqual([-5, 0, 20, 240, 7_200, 800_000].map(until), [
    "now",
    "now",
    "in 1m",
    "in 4m",
    "in 2h",
    "in 9d",
  ]);
  assert.match(until(86_400 * 400), /2027/);
});
