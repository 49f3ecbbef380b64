import type { Config } from "../config/config.ts";
import type { Queryable } from "../db/statement.ts";
import { RETAINED_NAMES, type RetainedName } from "../retention/retention-names.ts";
import { readRetention, storeRetention } from "../retention/retention-store.ts";
import { organizationId } from "./organization-store.ts";

/** How long an organization keeps something, as the operator sees it. */
export interface RetentionEntry {
  name: RetainedName;
  /** Null: without end. */
  days: number | null;
  /** Where the days are from; null: there are none. */
  from: "own" | "settings" | null;
}

export async function listRetention(
  db: Queryable,
  organization: string,
  { retention: defaults }: Pick<Config, "retention">,
): Promise<RetentionEntry[]> {
  const id = await organizationId(db, organization);
  const own = (await readRetention(db)).get(id) ?? {};
  return RETAINED_NAMES.map((name) => ({
    name,
    days: name in own ? (own[name] ?? null) : (defaults[name] ?? null),
    from: name in own ? ("own" as const) : name in defaults ? ("settings" as const) : null,
  }));
}

/** @param values null: without end, whatever the settings say; undefined: the days of the settings again. */
export async function changeRetention(
  tx: Queryable,
  organization: string,
  values: ReadonlyMap<RetainedName, number | null | undefined>,
): Promise<void> {
  const id = await organizationId(tx, organization);
  for (const [name, days] of values) await storeRetention(tx, id, name, days);
}
