import {
  type Deployment,
  nextSlot,
  nextSlots,
  parseCron,
  type Schedule,
  type ScheduleInput,
  slotsBetween,
  UPCOMING_RUNS,
  type ZonedCron,
} from "@berth/contract";
import { errors } from "@berth/store/errors";
import { timeZoneFault } from "./time-zone.ts";

/** A schedule as it is stored. */
export type StoredSchedule = ScheduleInput;

/** The most missed slots of a deployment that are listed when services were down: the newest ones. */
export const MAX_MISSED = 100;

/**
 * Checks a schedule, and returns its first slot after `now`; both in milliseconds since 1970.
 * @throws errors.invalid for `schedule.expression`, `schedule.timezone` and `schedule.at`
 */
export function requireSlot(schedule: StoredSchedule, now: number): number {
  if (schedule.type === "at") {
    const at = Date.parse(schedule.at);
    if (at > now) return at;
    throw errors.invalid("Field 'schedule.at' must be in the future.", "schedule.at");
  }
  const cron = parseCron(schedule.expression);
  if (typeof cron === "string")
    throw errors.invalid(`Field 'schedule.expression' cannot be read. ${cron}`, "schedule.expression");
  const fault = timeZoneFault(schedule.timezone);
  if (fault !== null) throw errors.invalid(`Field 'schedule.timezone' ${fault}`, "schedule.timezone");
  const slot = nextSlot({ cron, timezone: schedule.timezone }, now);
  if (slot !== null) return slot;
  throw errors.invalid(
    "Field 'schedule.expression' never runs: none of its months has such a day.",
    "schedule.expression",
  );
}

/** Returns the first slot of a stored schedule after `now`; null when there is none. */
export function slotAfter(schedule: StoredSchedule | null, now: number): number | null {
  if (schedule === null) return null;
  if (schedule.type === "at") return Date.parse(schedule.at) > now ? Date.parse(schedule.at) : null;
  return nextSlot(zoned(schedule), now);
}

/** Returns the slots from `first` until `now`, newest first: `MAX_MISSED` and one more, at most. */
export function slotsUntil(schedule: StoredSchedule, first: number, now: number): number[] {
  return schedule.type === "at" ? [first] : slotsBetween(zoned(schedule), first, now, MAX_MISSED + 1);
}

/** Returns a schedule as the API shows it. @param next its next slot; null for none. */
export function shownSchedule(
  schedule: StoredSchedule,
  { last, next }: { last: Date | null; next: Date | null },
): Schedule {
  const times = {
    last_run_at: last?.toISOString() ?? null,
    upcoming_runs_at: next === null ? [] : upcoming(schedule, next.getTime()),
  };
  return { ...schedule, ...times };
}

function upcoming(
  schedule: StoredSchedule,
  next: number,
): NonNullable<Deployment["schedule"]>["upcoming_runs_at"] {
  const later = schedule.type === "at" ? [] : nextSlots(zoned(schedule), next, UPCOMING_RUNS - 1);
  return [next, ...later].map((slot) => new Date(slot).toISOString());
}

function zoned({ expression, timezone }: Extract<StoredSchedule, { type: "cron" }>): ZonedCron {
  const cron = parseCron(expression);
  if (typeof cron === "string") throw new Error(`A stored schedule cannot be read. ${cron}`);
  return { cron, timezone };
}
