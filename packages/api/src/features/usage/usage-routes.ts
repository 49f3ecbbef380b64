import { DEFAULT_USAGE_DAYS, MAX_USAGE_DAYS, usageRoutes } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import type { PricedModels } from "./figures.ts";
import { usageReport } from "./usage-report.ts";
import { type Days, readToday } from "./usage-store.ts";

export function mountUsage(app: HttpApp, models: PricedModels): void {
  mount(app, usageRoutes.get, async ({ principal, db }, { query }) => {
    const days = await usageDays(db.read, query);
    return await usageReport(db, principal, models, { ...days, group_by: query.group_by });
  });
}

/**
 * Returns the days of a report, with defaults for those that a request omits.
 *
 * @throws errors.invalid
 */
async function usageDays(
  db: Queryable,
  given: { from?: string | undefined; to?: string | undefined },
): Promise<Days> {
  const to = given.to ?? (await readToday(db));
  const from = given.from ?? dayBefore(to, DEFAULT_USAGE_DAYS - 1);
  if (from > to) throw errors.invalid(`Field 'from' must not be after the last day, ${to}.`, "from");
  const first = dayBefore(to, MAX_USAGE_DAYS - 1);
  if (from < first)
    throw errors.invalid(
      `Field 'from' must not be before ${first}: a report has at most ${MAX_USAGE_DAYS} days.`,
      "from",
    );
  return { from, to };
}

function dayBefore(day: string, days: number): string {
  const time = new Date(day);
  time.setUTCDate(time.getUTCDate() - days);
  return time.toISOString().slice(0, 10);
}
