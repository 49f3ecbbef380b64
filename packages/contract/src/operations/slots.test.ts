// Subject: the slots of cron expressions in time zones.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type CronExpression, parseCron } from "./cron-expression.ts";
import { lastSlot, nextSlot, nextSlots, slotsBetween } from "./slots.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const cronOf = (text: string): CronExpression => {
  const cron = parseCron(text);
  return typeof cron === "string" ? assert.fail(cron) : cron;
};
const zoned = (text: string, timezone: string) => ({ cron: cronOf(text), timezone });
const at = (text: string) => Date.parse(text);
const shown = (slots: readonly number[]) =>
  slots.map((slot) => new Date(slot).toISOString().replace(":00.000Z", "Z"));

describe("changes of a zone's offset", () => {
  test("Europe/Berlin in spring: the hour that is skipped has no slot", () => {
    assert.deepEqual(shown(nextSlots(zoned("30 2 * * *", "Europe/Berlin"), at("2026-03-28T00:00Z"), 2)), [
      "2026-03-28T01:30Z",
      "2026-03-30T00:30Z",
    ]);
    assert.deepEqual(
      shown(nextSlots(zoned("0,30 1-3 29 3 *", "Europe/Berlin"), at("2026-03-28T12:00Z"), 4)),
      ["2026-03-29T00:00Z", "2026-03-29T00:30Z", "2026-03-29T01:00Z", "2026-03-29T01:30Z"],
    );
  });

  test("Europe/Berlin in autumn: the hour that comes twice has two", () => {
    assert.deepEqual(shown(nextSlots(zoned("30 2 * * *", "Europe/Berlin"), at("2026-10-24T12:00Z"), 3)), [
      "2026-10-25T00:30Z",
      "2026-10-25T01:30Z",
      "2026-10-26T01:30Z",
    ]);
  });

  test("Australia/Lord_Howe: the half hour is skipped, and comes twice", () => {
    const zone = "Australia/Lord_Howe";
    assert.deepEqual(shown(nextSlots(zoned("0,15,30 2 4 10 *", zone), at("2026-10-03T00:00Z"), 1)), [
      "2026-10-03T15:30Z",
    ]);
    assert.deepEqual(shown(nextSlots(zoned("45 1 5 4 *", zone), at("2026-04-04T00:00Z"), 2)), [
      "2026-04-04T14:45Z",
      "2026-04-04T15:15Z",
    ]);
  });

  test("Asia/Pyongyang and Pacific/Apia: an offset that moved, and a day that was not", () => {
    assert.deepEqual(shown(nextSlots(zoned("45 23 * * *", "Asia/Pyongyang"), at("2018-05-03T00:00Z"), 3)), [
      "2018-05-03T15:15Z",
      "2018-05-05T14:45Z",
      "2018-05-06T14:45Z",
    ]);
    assert.deepEqual(shown(nextSlots(zoned("0 12 * * *", "Pacific/Apia"), at("2011-12-29T00:00Z"), 2)), [
      "2011-12-29T22:00Z",
      "2011-12-30T22:00Z",
    ]);
  });
});

test("what never is has no slot, and 29 February has one in a leap year", () => {
  assert.equal(nextSlot(zoned("0 0 30 2 *", "UTC"), 0), null);
  assert.equal(lastSlot(zoned("0 0 31 4,6 *", "Europe/Berlin"), at("2026-01-01T00:00Z")), null);
  assert.deepEqual(shown(nextSlots(zoned("0 0 29 2 *", "UTC"), at("2096-03-01T00:00Z"), 1)), [
    "2104-02-29T00:00Z",
  ]);
});

test("slots until a time are its newest ones, the newest first", () => {
  const hourly = zoned("0 * * * *", "UTC");
  assert.deepEqual(shown(slotsBetween(hourly, at("2026-01-01T00:00Z"), at("2026-01-01T05:30Z"), 2)), [
    "2026-01-01T05:00Z",
    "2026-01-01T04:00Z",
  ]);
  assert.deepEqual(shown(slotsBetween(hourly, at("2026-01-01T05:00Z"), at("2026-01-01T05:00Z"), 100)), [
    "2026-01-01T05:00Z",
  ]);
});

/** Whether the clocks of a zone show at a time what an expression asks for, as Intl says. */
function isSlot(cron: CronExpression, format: Intl.DateTimeFormat, time: number): boolean {
  const parts = Object.fromEntries(
    format.formatToParts(time).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  const days = [cron.daysOfMonth.has(day), cron.daysOfWeek.has(weekday)];
  return (
    cron.minutes.includes(minute) &&
    cron.hours.includes(hour) &&
    cron.months.has(month) &&
    (cron.eitherDay ? days.some(Boolean) : days.every(Boolean))
  );
}

const field = (low: number, high: number) =>
  fc.oneof(
    fc.constant("*"),
    fc.integer({ min: 2, max: 9 }).map((step) => `*/${step}`),
    fc
      .uniqueArray(fc.integer({ min: low, max: high }), { minLength: 1, maxLength: 6 })
      .map((values) => values.join()),
    fc
      .tuple(
        fc.integer({ min: low, max: high }),
        fc.integer({ min: low, max: high }),
        fc.integer({ min: 1, max: 3 }),
      )
      .map(([one, other, step]) => `${Math.min(one, other)}-${Math.max(one, other)}/${step}`),
  );
const hours = fc.oneof(fc.constantFrom("*", "0-4", "1,2", "2", "23,0-3"), field(0, 23));
/** Zones, with days on which their offset changed or moved for good. */
const changes = fc.constantFrom(
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["Australia/Lord_Howe", "2026-04-04"],
  ["Australia/Lord_Howe", "2026-10-03"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["America/Sao_Paulo", "2019-02-16"],
  ["Asia/Pyongyang", "2018-05-04"],
  ["Pacific/Apia", "2011-12-30"],
  ["Africa/Casablanca", "2026-02-15"],
  ["UTC", "2026-06-01"],
);

test("property: the slots are the minutes at which a zone's clocks show them, in both directions", () => {
  fc.assert(
    fc.property(
      changes,
      fc.tuple(
        field(0, 59),
        hours,
        fc.constantFrom("*", "*/2", "1-15", "29,30"),
        fc.constant("*"),
        field(0, 6),
      ),
      fc.integer({ min: -900, max: 900 }),
      ([timezone, day], fields, shift) => {
        const schedule = zoned(fields.join(" "), timezone);
        const format = new Intl.DateTimeFormat("en-US", {
          ...{ timeZone: timezone, hourCycle: "h23", calendar: "gregory" },
          ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" },
        });
        const from = at(`${day}T00:00Z`) - DAY + shift * MINUTE;
        const minutes = Array.from({ length: 2 * 1_440 }, (_, index) => from + index * MINUTE);
        const until = from + 2 * DAY - 1;
        const naive = minutes.filter((minute) => isSlot(schedule.cron, format, minute));
        const forward: number[] = [];
        for (
          let slot = nextSlot(schedule, from - 1);
          slot !== null && slot <= until;
          slot = nextSlot(schedule, slot)
        )
          forward.push(slot);
        assert.deepEqual(shown(forward), shown(naive));
        assert.deepEqual(slotsBetween(schedule, from, until, 10_000), naive.toReversed());
      },
    ),
    { numRuns: process.env.TEST_EFFORT === "whole" ? 2_000 : 60 },
  );
});

test("an expression that is none: a sentence with the form that is right", () => {
  const fault = (text: string) => {
    const parsed = parseCron(text);
    return typeof parsed === "string" ? parsed : assert.fail(`${text} was read`);
  };
  assert.match(fault("@daily"), /write '0 0 \* \* \*'/);
  assert.match(fault("0 9 * *"), /five fields: .*'0 9 \* \* 1-5'/);
  assert.match(fault("0 0 9 * * 1"), /write '0 9 \* \* 1' if the first is the second/);
  assert.match(fault("5/15 * * * *"), /write '5-59\/15'/);
  assert.match(fault("* 22-2 * * *"), /write '22-23,0-2'/);
  assert.match(fault("0 24 * * *"), /hour '24' .* from 0 to 23/);
  assert.match(fault("0 0 L * *"), /day of month 'L' must be like '\*', '2', '2-4'/);
  assert.match(fault("0 0 * * 1#2"), /day of week '1#2' must be like .*'MON'/);
  assert.match(fault("*/0 * * * *"), /at least 1/);
  for (const text of [
    "",
    "? * * * *",
    "0 0 15W * *",
    "0 0 ? * *",
    "1--2 * * * *",
    "1,,2 * * * *",
    "* * * * 8",
    "* * * foo *",
    "-1 * * * *",
    "1.5 * * * *",
  ])
    fault(text);
  assert.deepEqual([...cronOf("0 0 1 JAN-mar fri,7").months], [1, 2, 3]);
  assert.deepEqual([...cronOf("0 0 * * 5-7").daysOfWeek].toSorted(), [0, 5, 6]);
  assert.equal(cronOf("0 0 1 * 1").eitherDay, true);
  assert.equal(cronOf("0 0 */2 * 1").eitherDay, false);
});
