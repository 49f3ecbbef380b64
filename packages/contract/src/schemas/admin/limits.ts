import { z } from "zod";
import { idOf, idOfOwner } from "../../conventions/fields.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

/** The largest value of a limit: 15 digits, which a number stores exactly. */
const MAX_LIMIT = 999_999_999_999_999;

const limit = (least = 0) =>
  z
    .union([z.int().min(least).max(MAX_LIMIT), z.literal("none")], {
      error: `Field '{field}' must be a whole number from ${least} to ${MAX_LIMIT}, 'none' or null.`,
    })
    .nullish();

const values = {
  requests_per_second: limit().meta({ description: "Requests per second to all services together." }),
  request_burst: limit().meta({ description: "Requests at once." }),
  open_sessions: limit().meta({ description: "Sessions that are neither archived nor terminated." }),
  file_bytes: limit().meta({ description: "Bytes of all files, including outputs of agents." }),
  running_turns: limit(1).meta({ description: "Turns at once, on all hosts together." }),
  sandbox_seconds_per_day: limit().meta({
    description: "Total seconds that sandboxes are open in a day (UTC).",
  }),
  disk_bytes: limit().meta({ description: "Bytes of session disks on their hosts." }),
  spend_cents: limit().meta({
    description: "Cents that all sessions together may cost, by the list prices of their models.",
  }),
  spend_cents_per_day: limit().meta({ description: "The same for a day (UTC)." }),
};

const from = z
  .enum(["own", "settings"])
  .nullable()
  .meta({ description: "Where the value comes from; settings have defaults. Null: there is no value." });

const limits = z
  .strictObject({
    id: idOfOwner.meta({ description: "Id of the organization or the user." }),
    type: z.literal("limits"),
    data: z.array(
      z.strictObject({
        name: z.enum(Object.keys(values) as (keyof typeof values)[]),
        value: z.int().nullable().meta({ description: "Null: no limit." }),
        from,
        used: z.int().nullable().meta({
          description: "Current usage. Null for requests, which each process counts separately.",
        }),
      }),
    ),
  })
  .meta({ id: "Limits" });
export type Limits = z.output<typeof limits>;

const params = z.strictObject({ owner_id: z.string() });

export const adminLimitRoutes = {
  get: defineRoute(operations.adminLimits.get, { params, response: limits }),
  /**
   * Changes limits. An omitted limit is kept; null removes the owner's own limit, so that the setting
   * applies; `none` means unlimited.
   */
  update: defineRoute(operations.adminLimits.update, {
    params,
    body: z.strictObject(values),
    response: limits,
  }),
};

/** Maximum days that data can be kept. */
const MAX_DAYS = 99_999;

const days = z
  .union([z.int().min(1).max(MAX_DAYS), z.literal("none")], {
    error: `Field '{field}' must be a whole number of days from 1 to ${MAX_DAYS}, 'none' or null.`,
  })
  .nullish();

const kept = {
  sessions: days.meta({ description: "Days since the last activity of a session." }),
  events: days.meta({ description: "Days since a session was archived or terminated." }),
  files: days.meta({ description: "Days since a file was uploaded or saved." }),
};

const retention = z
  .strictObject({
    id: idOf("organization"),
    type: z.literal("retention"),
    data: z.array(
      z.strictObject({
        name: z.enum(Object.keys(kept) as (keyof typeof kept)[]),
        days: z.int().nullable().meta({ description: "Null: forever." }),
        from,
      }),
    ),
  })
  .meta({ id: "Retention" });
export type Retention = z.output<typeof retention>;

const organizationParams = z.strictObject({ organization_id: z.string() });

export const adminRetentionRoutes = {
  get: defineRoute(operations.adminRetention.get, { params: organizationParams, response: retention }),
  /** Changes retention as `update` changes limits. Data that is too old is deleted within an hour. */
  update: defineRoute(operations.adminRetention.update, {
    params: organizationParams,
    body: z.strictObject(kept),
    response: retention,
  }),
};
