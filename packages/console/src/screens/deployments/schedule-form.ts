import type { Deployment } from "@berth/sdk";

export type ScheduleForm = {
  kind: "none" | "hour" | "day" | "weekdays" | "week" | "cron" | "at";
  /** Of each hour. */
  minute: string;
  /** Such as `03:00`. */
  time: string;
  /** Of the week, as in cron: Sunday is 0. */
  day: string;
  expression: string;
  timezone: string;
  /** A time by the browser's clock, such as `2027-01-01T09:00`. */
  at: string;
};

export const SCHEDULE_CHOICES: readonly { value: ScheduleForm["kind"]; label: string; about?: string }[] = [
  { value: "none", label: "Only when asked", about: "With Run now, or by the API" },
  { value: "hour", label: "Every hour" },
  { value: "day", label: "Every day" },
  { value: "weekdays", label: "On weekdays", about: "Monday to Friday" },
  { value: "week", label: "Every week" },
  { value: "cron", label: "By a cron expression" },
  { value: "at", label: "Once" },
];

export const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

export const DAY_CHOICES = [1, 2, 3, 4, 5, 6, 0].map((day) => ({ value: `${day}`, label: DAYS[day] ?? "" }));

/** Returns the schedule that a form starts with. @param timezone the browser's */
export function emptySchedule(timezone: string): ScheduleForm {
  return { kind: "none", minute: "0", time: "03:00", day: "1", expression: "", timezone, at: "" };
}

/** Returns the form that makes a schedule. */
export function scheduleFormOf(schedule: Deployment["schedule"], timezone: string): ScheduleForm {
  const empty = emptySchedule(timezone);
  if (schedule === null) return empty;
  if (schedule.type === "at") return { ...empty, kind: "at", at: localTime(schedule.at) };
  const { expression } = schedule;
  const form = { ...empty, timezone: schedule.timezone, expression };
  const [, minute = "", hour = "", day = ""] =
    /^(\d{1,2}) (\*|\d{1,2}) \* \* (\*|1-5|[0-6])$/.exec(expression.trim()) ?? [];
  if (minute === "" || (hour === "*" && day !== "*")) return { ...form, kind: "cron" };
  if (hour === "*") return { ...form, kind: "hour", minute };
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (day === "*") return { ...form, kind: "day", time };
  return day === "1-5" ? { ...form, kind: "weekdays", time } : { ...form, kind: "week", time, day };
}

/** Returns the cron expression of a form; null without one. */
export function expressionOf({ kind, minute, time, day, expression }: ScheduleForm): string | null {
  const [hours = "0", minutes = "0"] = time.split(":").map((part) => `${Number(part)}`);
  switch (kind) {
    case "none":
    case "at":
      return null;
    case "hour":
      return `${minute.trim() || "0"} * * * *`;
    case "day":
      return `${minutes} ${hours} * * *`;
    case "weekdays":
      return `${minutes} ${hours} * * 1-5`;
    case "week":
      return `${minutes} ${hours} * * ${day}`;
    case "cron":
      return expression.trim();
  }
}

/** Returns the schedule as the API takes it. What is no time is sent as it is, so that the service says so. */
export function scheduleOf(form: ScheduleForm) {
  const expression = expressionOf(form);
  if (expression !== null) return { type: "cron" as const, expression, timezone: form.timezone.trim() };
  if (form.kind === "none") return null;
  const at = new Date(form.at);
  return { type: "at" as const, at: Number.isNaN(at.getTime()) ? form.at : at.toISOString() };
}

/** Returns a schedule in words, such as `Every day at 03:00, Europe/Berlin`. */
export function scheduleWords(schedule: Deployment["schedule"]): string {
  const form = scheduleFormOf(schedule, "");
  const { kind, time, day, expression } = form;
  const zone = schedule?.type === "cron" ? `, ${schedule.timezone}` : "";
  switch (kind) {
    case "none":
      return "Only when asked";
    case "at":
      return "Once";
    case "hour":
      return `Every hour at :${form.minute.padStart(2, "0")}${zone}`;
    case "day":
      return `Every day at ${time}${zone}`;
    case "weekdays":
      return `Monday to Friday at ${time}${zone}`;
    case "week":
      return `Every ${DAYS[Number(day)]} at ${time}${zone}`;
    case "cron":
      return `${expression}${zone}`;
  }
}

/** Returns a time as a field of the browser has it, by its own clock and to the minute. */
function localTime(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
