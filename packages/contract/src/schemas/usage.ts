import { z } from "zod";
import { operations } from "../operations/operations.ts";
import { defineRoute } from "../operations/route.ts";
import { modelUsage } from "./events/session-events.ts";
import { cachedInputShare } from "./events/token-costs.ts";

export const USAGE_GROUPINGS = ["day", "agent", "user", "model", "environment"] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** Maximum days of a report. */
export const MAX_USAGE_DAYS = 366;
export const DEFAULT_USAGE_DAYS = 30;
/** Maximum groups of a report. */
export const MAX_USAGE_GROUPS = 1_000;

const NOT_A_DAY = "Field '{field}' must be a day, such as '2026-01-31'.";

/** A day in UTC, not before 1970. */
const day = z.iso
  .date({ error: NOT_A_DAY })
  .refine((value) => value >= "1970-01-01", { error: NOT_A_DAY, abort: true });

const figures = {
  sessions: z.int().meta({ description: "Number of sessions with usage." }),
  turns: z.int().meta({ description: "Number of turns that ended." }),
  active_seconds: z.number().meta({ description: "Duration of these turns in seconds, to the millisecond." }),
  usage: modelUsage,
  cached_input_share: cachedInputShare,
  list_cost_usd: z.number().meta({
    description:
      "Cost of the tokens in US dollars at today's list prices, to the millionth, without `unpriced_tokens`.",
  }),
  unpriced_tokens: z
    .int()
    .meta({ description: "Tokens of all kinds, of models whose list price is unknown." }),
};

const usageGroup = z
  .strictObject({
    key: z.string().nullable().meta({
      description:
        "The value that the group shares: a day such as `2026-01-31`, an id, or a model. When grouped by user, sessions of service accounts have the organization's id. Null: a user who was erased.",
    }),
    name: z.string().nullable().meta({
      description:
        "Name of the agent, environment or organization, or email of the user. Null if there is none, or it no longer exists.",
    }),
    ...figures,
  })
  .meta({ id: "UsageGroup" });
export type UsageGroup = z.output<typeof usageGroup>;

const usageReport = z
  .strictObject({
    type: z.literal("usage"),
    from: z.iso.date().meta({ description: "The first day, in UTC." }),
    to: z.iso.date().meta({ description: "The last day, in UTC." }),
    group_by: z.enum(USAGE_GROUPINGS),
    total: z.strictObject(figures),
    data: z.array(usageGroup).meta({
      description: "Days in order, without days of no usage; other groups by cost, then tokens.",
    }),
    has_more: z.boolean().meta({
      description: `Whether there are more groups than the ${MAX_USAGE_GROUPS} with the most tokens, which are in \`data\`. The total has all.`,
    }),
  })
  .meta({ id: "UsageReport" });

export type UsageReport = z.output<typeof usageReport>;
export type UsageFigures = UsageReport["total"];

export const usageRoutes = {
  get: defineRoute(operations.usage.get, {
    query: z.strictObject({
      from: day.optional().meta({
        description: `The first day, in UTC. Default: ${DEFAULT_USAGE_DAYS} days in all. Maximum: ${MAX_USAGE_DAYS} days.`,
      }),
      to: day.optional().meta({ description: "The last day, in UTC. Default: today." }),
      group_by: z.enum(USAGE_GROUPINGS).default("day"),
    }),
    response: usageReport,
  }),
};
