import { formatId, type Retention } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { RETAINED_NAMES, type RetainedName, type RetentionDays } from "@berth/store/names";
import { readRetention, storeRetention } from "@berth/store/retention";
import { heldOrganizationId, organizationId } from "./organization-store.ts";

export async function listRetention(
  db: Queryable,
  organization: string,
  { retention: defaults }: { retention: RetentionDays },
): Promise<Retention> {
  const id = await organizationId(db, organization);
  const own = (await readRetention(db)).get(id) ?? {};
  const data = RETAINED_NAMES.map((name) => ({
    name,
    days: name in own ? (own[name] ?? null) : (defaults[name] ?? null),
    from: name in own ? ("own" as const) : name in defaults ? ("settings" as const) : null,
  }));
  return { id: formatId("organization", id), type: "retention", data };
}

/**
 * Changes the retention of an organization.
 *
 * @param values days; null keeps data forever, whatever the settings say; undefined restores the setting.
 * @returns the organization's id in the form of the API.
 */
export async function changeRetention(
  tx: Queryable,
  organization: string,
  values: ReadonlyMap<RetainedName, number | null | undefined>,
): Promise<string> {
  const id = await heldOrganizationId(tx, organization);
  for (const [name, days] of values) await storeRetention(tx, id, name, days);
  return formatId("organization", id);
}
