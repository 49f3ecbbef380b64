import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment } from "@berth/sdk";
import {
  emptySchedule,
  expressionOf,
  type ScheduleForm,
  scheduleFormOf,
  scheduleOf,
  scheduleWords,
} from "./schedule-form.ts";
import { upcomingRuns } from "./upcoming-runs.ts";

const times = { last_run_at: null, upcoming_runs_at: [] };
const cron = (expression: string): Deployment["schedule"] => ({
  ...{ type: "cron", expression, timezone: "Europe/Berlin", ...times },
});

test("an expression of a preset fills the preset's fields, and any other one is kept as it is", () => {
  const presets: [expression: string, form: Partial<ScheduleForm>, words: string][] = [
    ["15 * * * *", { kind: "hour", minute: "15" }, "Every hour at :15"],
    ["0 3 * * *", { kind: "day", time: "03:00" }, "Every day at 03:00"],
    ["5 23 * * 1-5", { kind: "weekdays", time: "23:05" }, "Monday to Friday at 23:05"],
    ["30 9 * * 0", { kind: "week", time: "09:30", day: "0" }, "Every Sunday at 09:30"],
    ["0 3 1 * *", { kind: "cron", expression: "0 3 1 * *" }, "0 3 1 * *"],
    ["*/5 * * * *", { kind: "cron" }, "*/5 * * * *"],
    ["0 * * * 1", { kind: "cron" }, "0 * * * 1"],
  ];
  for (const [expression, part, words] of presets) {
    const form = scheduleFormOf(cron(expression), "UTC");
    assert.deepEqual({ ...form, ...part }, form, expression);
    assert.equal(expressionOf(form), expression);
    assert.deepEqual(scheduleOf(form), { type: "cron", expression, timezone: "Europe/Berlin" });
    assert.equal(scheduleWords(cron(expression)), `${words}, Europe/Berlin`);
  }
});

test("a single time is of the browser's clock, and what is no time is sent as it is", () => {
  const at = "2027-01-01T09:00:00.000Z";
  const form = scheduleFormOf({ type: "at", at, ...times }, "UTC");
  assert.equal(form.kind, "at");
  assert.deepEqual(scheduleOf(form), { type: "at", at });
  assert.deepEqual(scheduleOf({ ...form, at: "" }), { type: "at", at: "" });
  assert.equal(scheduleOf(emptySchedule("UTC")), null);
  assert.equal(scheduleWords(null), "Only when asked");
});

test("the next runs are those of the service, or a sentence", () => {
  const now = Date.parse("2026-12-04T12:00:00Z");
  const form = { ...emptySchedule("Europe/Berlin"), kind: "weekdays" as const };
  assert.deepEqual(upcomingRuns(form, now)?.slice(0, 2), [
    "2026-12-07T02:00:00.000Z",
    "2026-12-08T02:00:00.000Z",
  ]);
  const typed = (part: Partial<ScheduleForm>) => upcomingRuns({ ...form, kind: "cron", ...part }, now);
  assert.equal(typed({ expression: "" }), null);
  assert.match(`${typed({ expression: "0 24 * * *" })}`, /hour '24' must be like/);
  assert.match(`${typed({ expression: "0 0 30 2 *" })}`, /never runs/);
  assert.match(`${typed({ expression: "* * * * *", timezone: "Berlin" })}`, /zone is not known/);
});
