import { z } from "zod";
import { taggedUnion, text, timestamp } from "../../conventions/fields.ts";

/** The most times that `upcoming_runs_at` has. */
export const UPCOMING_RUNS = 5;

const EXPRESSION_DESCRIPTION =
  "Five fields as in cron: minute, hour, day of month, month and day of week, with numbers, names such as `MON`, ranges, lists and steps. If both days are given, one of them is enough. `0 9 * * 1-5` is nine o'clock from Monday to Friday.";
const TIMEZONE_DESCRIPTION =
  "The IANA name of the zone whose clocks count, such as `Europe/Berlin`. What they skip when they go forward does not run, and what they show twice when they go back runs twice.";

/** When a deployment runs by itself. */
export const scheduleInput = taggedUnion("type", [
  z.strictObject({
    type: z.literal("cron"),
    expression: text(1, 256).meta({ description: EXPRESSION_DESCRIPTION }),
    timezone: text(1, 64).meta({ description: TIMEZONE_DESCRIPTION }),
  }),
  z.strictObject({
    type: z.literal("at"),
    at: timestamp.meta({ description: "Once, at this time, which must be in the future." }),
  }),
]);
export type ScheduleInput = z.output<typeof scheduleInput>;

const times = {
  last_run_at: timestamp
    .nullable()
    .meta({ description: "The time for which it last ran. Null before that." }),
  upcoming_runs_at: z.array(timestamp).meta({
    description: `The next times, at most ${UPCOMING_RUNS}. Empty while the deployment is paused or archived.`,
  }),
};

export const schedule = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("cron"), expression: z.string(), timezone: z.string(), ...times }),
    z.strictObject({ type: z.literal("at"), at: timestamp, ...times }),
  ])
  .meta({ id: "Schedule" });
export type Schedule = z.output<typeof schedule>;
