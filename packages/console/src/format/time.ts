const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats an age as `just now`, `4m ago`, `3h ago`, `2d ago`; from 30 days on as a date. */
export function formatAgo(iso: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds < 30) return "just now";
  if (seconds < HOUR) return `${Math.max(1, Math.floor(seconds / MINUTE))}m ago`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)}h ago`;
  if (seconds < 30 * DAY) return `${Math.floor(seconds / DAY)}d ago`;
  return new Date(iso).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}

/** Formats the local date and time to the second. */
export function formatMoment(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

/** Formats a time to the minute with its day of the week, by the clocks of a zone. Default: the local one. */
export function formatSlot(iso: string, timeZone?: string): string {
  return new Date(iso).toLocaleString(undefined, {
    ...{
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
    },
    ...(timeZone === undefined ? {} : { timeZone }),
  });
}

/** Formats the local time of day to the second. */
export function formatClock(iso: string): string {
  return new Date(iso).toLocaleTimeString(undefined, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}

/** Formats a duration as `0.4s`, `12s`, `3m 20s`, `1h 4m`, `2d 3h`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${Number(seconds.toFixed(1))}s`;
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole}s`;
  if (whole < HOUR) return two(whole, MINUTE, "m", 1, "s");
  return whole < DAY ? two(whole, HOUR, "h", MINUTE, "m") : two(whole, DAY, "d", HOUR, "h");
}

function two(seconds: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeUnit}${rest === 0 ? "" : ` ${rest}${smallUnit}`}`;
}

/**
 * Formats a future time as `in 4m`, `in 3h`, `in 9d`; from 100 days on as a date. Returns `now` once it has
 * passed.
 */
export function formatUntil(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  if (seconds <= 0) return "now";
  if (seconds < HOUR) return `in ${Math.max(1, Math.round(seconds / MINUTE))}m`;
  if (seconds < DAY) return `in ${Math.round(seconds / HOUR)}h`;
  if (seconds < 100 * DAY) return `in ${Math.round(seconds / DAY)}d`;
  return new Date(iso).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}
