import { type CronExpression, findWallTime } from "./cron-expression.ts";

/** A schedule by the clocks of a zone. */
export interface ZonedCron {
  cron: CronExpression;
  /** IANA name of the zone. */
  timezone: string;
}

/** The most changes of a zone's offset that are looked through for a slot: those of forty years. */
const MAX_CHANGES = 100;

/**
 * Returns the first slot after a time, in milliseconds since 1970; null when there is none. Between two changes of
 * its offset a zone's clocks run like one without a zone, so a time that they skip has no slot, and one that they
 * show twice has two.
 */
export function nextSlot({ cron, timezone }: ZonedCron, after: number): number | null {
  let from = after + 1;
  for (let change = 0; change < MAX_CHANGES; change++) {
    const { offset, end } = offsetAt(timezone, from);
    const found = findWallTime(cron, from + offset, 1);
    if (found === null || found - offset < end) return found === null ? null : found - offset;
    from = end;
  }
  return null;
}

/** Returns the last slot at or before a time; see `nextSlot`. */
export function lastSlot({ cron, timezone }: ZonedCron, until: number): number | null {
  let to = until;
  for (let change = 0; change < MAX_CHANGES; change++) {
    const { offset, begin } = offsetAt(timezone, to);
    const found = findWallTime(cron, to + offset, -1);
    if (found === null || found - offset >= begin) return found === null ? null : found - offset;
    to = begin - 1;
  }
  return null;
}

/** Returns the next `count` slots after a time, at most. */
export function nextSlots(schedule: ZonedCron, after: number, count: number): number[] {
  const slots: number[] = [];
  for (let at = nextSlot(schedule, after); at !== null && slots.length < count; at = nextSlot(schedule, at))
    slots.push(at);
  return slots;
}

/** Returns the slots from `from` until `until`, both inclusive: the newest `count` of them at most, newest first. */
export function slotsBetween(schedule: ZonedCron, from: number, until: number, count: number): number[] {
  const slots: number[] = [];
  for (
    let at = lastSlot(schedule, until);
    at !== null && at >= from && slots.length < count;
    at = lastSlot(schedule, at - 1)
  )
    slots.push(at);
  return slots;
}

/** Returns a zone's offset at a time, from when on (inclusive) and until when (exclusive) it has it, in milliseconds. */
function offsetAt(timezone: string, at: number): { offset: number; begin: number; end: number } {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
  // "previous" is before the time that it is asked for, so that a change at this very time is found from the next.
  const previous = zoned.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  const next = zoned.getTimeZoneTransition("next");
  return {
    offset: zoned.offsetNanoseconds / 1_000_000,
    begin: previous?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    end: next?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
  };
}
