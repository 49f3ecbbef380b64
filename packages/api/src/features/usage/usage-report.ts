import {
  formatId,
  MAX_USAGE_GROUPS,
  type UsageGroup,
  type UsageGrouping,
  type UsageReport,
} from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { figuresOf, type PricedModels, tokensOf } from "./figures.ts";
import { readGroupNames } from "./group-names-store.ts";
import { type Days, readUsage, type UsageRow } from "./usage-store.ts";

/** Returns what the sessions that the principal can access used in these days. */
export async function usageReport(
  db: DatabaseAccess,
  principal: Principal,
  models: PricedModels,
  { group_by, ...days }: Days & { group_by: UsageGrouping },
): Promise<UsageReport> {
  const rows = await readUsage(db, principal, days, group_by);
  const total = rows.filter(({ place }) => place === null);
  const byPlace = Map.groupBy(
    rows.filter(({ place }) => place !== null),
    ({ place }) => place,
  );
  const listed = [...byPlace].filter(([place]) => (place ?? 0) <= MAX_USAGE_GROUPS).map(([, group]) => group);
  const names = await readGroupNames(
    db.read,
    group_by,
    listed.map((group) => keyOf(group)),
  );
  const data = listed.map((group): UsageGroup => {
    const key = keyOf(group);
    const name = (key === null ? undefined : names.get(key)) ?? null;
    return { key: formatKey(group_by, key, principal), name, ...figuresOf(group, models) };
  });
  return {
    type: "usage",
    ...days,
    group_by,
    total: figuresOf(total, models),
    data: data.toSorted(group_by === "day" ? byDay : byCost),
    has_more: byPlace.size > listed.length,
  };
}

/** Returns the key that all rows of a group have. */
function keyOf([row]: readonly UsageRow[]): string | null {
  return row?.key ?? null;
}

/** Returns a group's key in the form of the API. Sessions of service accounts belong to the organization. */
function formatKey(group: UsageGrouping, key: string | null, { organizationId }: Principal): string | null {
  if (key === null || group === "day" || group === "model") return key;
  if (group === "user") return formatId(key === organizationId ? "organization" : "user", key);
  return formatId(group, key);
}

function byDay(one: UsageGroup, other: UsageGroup): number {
  return (one.key ?? "") < (other.key ?? "") ? -1 : 1;
}

function byCost(one: UsageGroup, other: UsageGroup): number {
  return other.list_cost_usd - one.list_cost_usd || tokensOf(other.usage) - tokensOf(one.usage);
}
