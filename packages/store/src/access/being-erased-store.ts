import type { Queryable } from "../db/statement.ts";

/**
 * Returns whether an erasure of any of these subjects was requested and is not complete.
 * @param subjects uuids, such as those of a user and the organization.
 */
export async function isBeingErased(db: Queryable, subjects: readonly string[]): Promise<boolean> {
  const { rows } = await db.query<{ some: boolean }>({
    name: "is_being_erased",
    text: "select exists (select from erasures where subject_id = any($1::uuid[]) and completed_at is null) as some",
    values: [subjects],
  });
  return rows[0]?.some ?? false;
}
