import type { Queryable } from "../db/statement.ts";

/**
 * Whether an erasure of any of these was asked for and is not complete.
 *
 * @param subjects uuids: a user and the organization, say.
 */
export async function isBeingErased(db: Queryable, subjects: readonly string[]): Promise<boolean> {
  const { rows } = await db.query<{ some: boolean }>({
    name: "is_being_erased",
    text: "select exists (select from erasures where subject_id = any($1::uuid[]) and completed_at is null) as some",
    values: [subjects],
  });
  return rows[0]?.some ?? false;
}
