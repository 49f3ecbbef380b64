/** The values of a cron expression's fields. Sunday is 0. */
export interface CronExpression {
  minutes: readonly number[];
  hours: readonly number[];
  daysOfMonth: ReadonlySet<number>;
  months: ReadonlySet<number>;
  daysOfWeek: ReadonlySet<number>;
  /** Whether one of the two fields of days is enough. As in cron, not if one of them begins with `*`. */
  eitherDay: boolean;
}

interface FieldForm {
  name: string;
  low: number;
  high: number;
  /** Names of the values, from the lowest on. */
  names?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS = [
  { name: "minute", low: 0, high: 59 },
  { name: "hour", low: 0, high: 23 },
  { name: "day of month", low: 1, high: 31 },
  { name: "month", low: 1, high: 12, names: MONTHS },
  { name: "day of week", low: 0, high: 7, names: DAYS },
] as const satisfies readonly FieldForm[];

/** What other programs write for some schedules, and cron's five fields for it. */
const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/**
 * Reads a cron expression: minute, hour, day of month, month and day of week, each with numbers, names, ranges,
 * lists and steps.
 *
 * @returns a sentence about what is wrong, with the form that is right, if it is none.
 */
export function parseCron(text: string): CronExpression | string {
  const fields = text.trim().split(/\s+/);
  const nickname = NICKNAMES[text.trim().toLowerCase()];
  if (nickname !== undefined) return `It must have five fields: write '${nickname}'.`;
  if (fields.length === 6)
    return `It must have five fields, without seconds or a year: write '${fields.slice(1).join(" ")}' if the first is the second, or '${fields.slice(0, 5).join(" ")}' if the last is the year.`;
  if (fields.length !== 5)
    return "It must have five fields: minute, hour, day of month, month and day of week, such as '0 9 * * 1-5'.";
  const values = FIELDS.map((form, index) => parseField(fields[index] ?? "", form));
  const fault = values.find((one) => typeof one === "string");
  if (fault !== undefined) return fault;
  const [minutes, hours, days, months, weekdays] = values as readonly ReadonlySet<number>[];
  const ascending = (set: ReadonlySet<number> = new Set()) => [...set].toSorted((a, b) => a - b);
  return {
    minutes: ascending(minutes),
    hours: ascending(hours),
    daysOfMonth: days ?? new Set(),
    months: months ?? new Set(),
    daysOfWeek: new Set([...(weekdays ?? [])].map((day) => day % 7)),
    eitherDay: !fields[2]?.startsWith("*") && !fields[4]?.startsWith("*"),
  };
}

function parseField(field: string, form: FieldForm): Set<number> | string {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const range = parsePart(part, form);
    if (typeof range === "string") return range;
    for (let value = range.from; value <= range.to; value += range.step) values.add(value);
  }
  return values;
}

const PART = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d{1,3}))?$/;

function parsePart(part: string, form: FieldForm): { from: number; to: number; step: number } | string {
  const { name, low, high } = form;
  const [, star, first = "", last, step] = PART.exec(part) ?? [];
  const shown = part.slice(0, 40);
  if (star === undefined && first === "") return `The ${name} '${shown}' must be like ${samplesOf(form)}.`;
  if (step !== undefined && Number(step) === 0)
    return `The step of the ${name} '${shown}' must be at least 1.`;
  if (star !== undefined) return { from: low, to: high, step: Number(step ?? 1) };
  const [from, to] = [numberOf(first, form), last === undefined ? null : numberOf(last, form)];
  if (from === null || (last !== undefined && to === null))
    return `The ${name} '${shown}' must be like ${samplesOf(form)}, from ${low} to ${high}.`;
  if (to === null && step !== undefined)
    return `The ${name} '${shown}' must be a range: write '${from}-${high}/${step}'.`;
  if (to !== null && to < from)
    return `The range of the ${name} '${shown}' is turned round: write '${from}-${high},${low}-${to}'.`;
  return { from, to: to ?? from, step: Number(step ?? 1) };
}

function numberOf(text: string, { low, high, names = [] }: FieldForm): number | null {
  const named = names.indexOf(text.toLowerCase());
  if (named !== -1) return low + named;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= low && value <= high ? value : null;
}

function samplesOf({ low, high, names }: FieldForm): string {
  const named = names === undefined ? "" : `, '${names[1]?.toUpperCase()}'`;
  return `'*', '${low + 1}'${named}, '${low + 1}-${low + 3}', '${low + 1},${low + 3}' or '*/${high > 20 ? 15 : 2}'`;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Days in which every day that exists comes with every day of the week, also across a year without 29 February. */
const HORIZON_DAYS = 14_700;

/**
 * Returns the first time from `from` on, or the last time until `from`, at which clocks show what the expression
 * asks for. Times are those of a clock without a zone, as milliseconds since 1970.
 *
 * @returns null when there is none in forty years.
 */
export function findWallTime(cron: CronExpression, from: number, direction: 1 | -1): number | null {
  const start =
    direction === 1 ? Math.ceil(from / MINUTE_MS) * MINUTE_MS : Math.floor(from / MINUTE_MS) * MINUTE_MS;
  const firstDay = Math.floor(start / DAY_MS);
  for (let passed = 0; passed < HORIZON_DAYS; passed++) {
    const day = (firstDay + direction * passed) * DAY_MS;
    if (!hasDay(cron, new Date(day))) continue;
    const within = passed === 0 ? (start - day) / MINUTE_MS : null;
    const minute = findMinute(cron, within, direction);
    if (minute !== null) return day + minute * MINUTE_MS;
  }
  return null;
}

function hasDay({ daysOfMonth, months, daysOfWeek, eitherDay }: CronExpression, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [ofMonth, ofWeek] = [daysOfMonth.has(date.getUTCDate()), daysOfWeek.has(date.getUTCDay())];
  return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}

/** Returns the minute of the day that is nearest to `bound` in the direction, or the day's first or last one. */
function findMinute(
  { hours, minutes }: CronExpression,
  bound: number | null,
  direction: 1 | -1,
): number | null {
  const inOrder = (values: readonly number[]) => (direction === 1 ? values : values.toReversed());
  for (const hour of inOrder(hours)) {
    for (const minute of inOrder(minutes)) {
      const found = hour * 60 + minute;
      if (bound === null || (direction === 1 ? found >= bound : found <= bound)) return found;
    }
  }
  return null;
}
