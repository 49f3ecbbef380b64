import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { MAX_RETRY_AFTER_MS, MAX_SERIES_MS, retryDelay } from "./retry-delay.ts";

const SCHEDULE = [1_000, 2_000, 4_000, 8_000, 16_000];

/** Returns when attempts begin, in milliseconds since the first failure. Each takes `attemptMs`. */
function retries(
  asked: (attempt: number) => number | null,
  attemptMs: number,
  schedule = SCHEDULE,
): number[] {
  const began: number[] = [];
  let now = 0;
  for (;;) {
    const wait = retryDelay({ attempts: began.length, failingMs: now }, asked(began.length), schedule);
    if (wait === null) return began;
    began.push(now + wait);
    now += wait + attemptMs;
  }
}

const asked = fc.option(
  fc.oneof(fc.nat(120_000), fc.nat(), fc.double({ min: 0, noNaN: true }), fc.constant(Number.MAX_VALUE)),
);

describe("retryDelay", () => {
  test("the host asks for nothing → after 1, 2, 4, 8 and 16 s", () => {
    assert.deepEqual(
      retries(() => null, 0),
      [1_000, 3_000, 7_000, 15_000, 31_000],
    );
  });

  test("the host asks for less than the schedule → the schedule; for more → that, up to a minute", () => {
    for (const [retryAfterMs, expected] of [
      [0, 4_000],
      [3_999, 4_000],
      [7_000, 7_000],
      [60_000, 60_000],
      [61_000, 60_000],
      [3_600_000, 60_000],
      [Number.MAX_VALUE, 60_000],
    ] as const)
      assert.equal(retryDelay({ attempts: 2, failingMs: 3_000 }, retryAfterMs, SCHEDULE), expected);
  });

  test("the host asks for an hour each time → five retries, the last five minutes after the first failure", () => {
    const expected = [60_000, 120_200, 180_400, 240_600, MAX_SERIES_MS];
    assert.deepEqual(
      retries(() => 3_600_000, 200),
      expected,
    );
  });

  test("an attempt takes five minutes → one retry", () => {
    assert.deepEqual(
      retries(() => null, 300_000),
      [1_000],
    );
  });

  test("any answers of a host, lengths of attempts and schedules → the series ends, never early or late", () => {
    const schedules = fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(asked), fc.nat(400_000), schedules, (answers, attemptMs, schedule) => {
        const began = retries((attempt) => answers[attempt] ?? null, attemptMs, schedule);
        assert.ok(began.length <= schedule.length);
        for (const [index, time] of began.entries()) {
          const wait = time - (index === 0 ? 0 : (began[index - 1] ?? 0) + attemptMs);
          assert.ok(wait >= (schedule[index] ?? 0), "not before the schedule");
          assert.ok(wait <= Math.max(schedule[index] ?? 0, MAX_RETRY_AFTER_MS));
          assert.ok(time <= MAX_SERIES_MS);
        }
      }),
    );
  });
});
