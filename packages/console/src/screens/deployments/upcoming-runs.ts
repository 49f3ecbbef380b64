import { parseCron } from "@berth/contract/cron-expression";
import { nextSlots } from "@berth/contract/slots";
import { expressionOf, type ScheduleForm } from "./schedule-form.ts";

/** As many as a deployment shows. */
const SHOWN = 5;

/** Returns the next times, a sentence if there are none, or null if nothing is to be said. */
export function upcomingRuns(schedule: ScheduleForm, now: number): string[] | string | null {
  const expression = expressionOf(schedule);
  if (expression === null || expression === "") return null;
  const cron = parseCron(expression);
  if (typeof cron === "string") return cron;
  const timezone = schedule.timezone.trim();
  if (!isZone(timezone)) return "The time zone is not known.";
  if (typeof Temporal === "undefined")
    return "This browser cannot compute the next runs. They are shown once it is saved.";
  const slots = nextSlots({ cron, timezone }, now, SHOWN);
  if (slots.length === 0) return "It never runs: none of its months has such a day.";
  return slots.map((slot) => new Date(slot).toISOString());
}

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}
