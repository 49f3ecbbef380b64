import type { Queryable } from "../db/statement.ts";
import type { RetainedName, RetentionDays } from "./retention-names.ts";

/** Returns each organization's own retention, by its uuid; empty where it has none. */
export async function readRetention(db: Queryable): Promise<Map<string, RetentionDays>> {
  const { rows } = await db.query<{ id: string; name: RetainedName | null; days: number | null }>({
    name: "read_retention",
    text: "select id, retention.name, days from organizations left join retention on organization_id = id",
  });
  const all = new Map<string, RetentionDays>();
  for (const { id, name, days } of rows)
    all.set(id, { ...all.get(id), ...(name !== null && { [name]: days }) });
  return all;
}

/**
 * Stores an organization's own retention.
 * @param days Null keeps objects forever, whatever the settings say. Undefined applies the settings again.
 */
export async function storeRetention(
  tx: Queryable,
  organizationId: string,
  name: RetainedName,
  days: number | null | undefined,
): Promise<void> {
  if (days === undefined) {
    await tx.query({
      name: "remove_retention",
      text: "delete from retention where organization_id = $1 and name = $2",
      values: [organizationId, name],
    });
    return;
  }
  await tx.query({
    name: "store_retention",
    text: `insert into retention (organization_id, name, days) values ($1, $2, $3)
      on conflict (organization_id, name) do update set days = excluded.days`,
    values: [organizationId, name, days],
  });
}
