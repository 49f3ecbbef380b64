import { usageRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import type { PricedModels } from "./figures.ts";
import { usageDays } from "./usage-days.ts";
import { usageReport } from "./usage-report.ts";

export function mountUsage(app: HttpApp, models: PricedModels): void {
  mount(app, usageRoutes.get, async ({ principal, db }, { query }) => {
    const days = await usageDays(db.read, query);
    return await usageReport(db, principal, models, { ...days, group_by: query.group_by });
  });
}
