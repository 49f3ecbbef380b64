import type { Queryable } from "@berth/store/db";
import type { Limit } from "@berth/store/limits";

/** Counts sessions that are neither archived nor terminated, up to `limit`; null counts all. */
export async function countOpenSessions(
  db: Queryable,
  { kind, id }: Pick<Limit, "kind" | "id">,
  limit: number | null = null,
): Promise<number> {
  const column = kind === "organization" ? "organization_id" : "owner_id";
  const { rows } = await db.query<{ count: number }>({
    name: `count_open_sessions_of_${kind}`,
    text: `select count(*)::integer as count from (
        select from sessions
        where ${column} = $1 and archived_at is null and terminated_at is null and deleted_at is null limit $2
      ) as open`,
    values: [id, limit],
  });
  return rows[0]?.count ?? 0;
}
