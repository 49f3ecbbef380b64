import type { Queryable } from "../db/statement.ts";
import { IS_DUE } from "./lease.ts";
import { type FullOwners, mayHaveTurn, NONE_FULL } from "./turn-permits.ts";

/**
 * Counts the sessions that wait for a runner, and returns how many seconds the first of them has waited. They
 * are sessions with work that nobody has claimed, and sessions whose lease expired since their runner died.
 * Sessions that wait for turns of their owner are left out, since more runners would not help them.
 * @param full Owners that may have no further turn. Default: none.
 */
export async function dueSessions(
  db: Queryable,
  full: FullOwners = NONE_FULL,
): Promise<{ count: number; seconds: number }> {
  const { rows } = await db.query<{ count: number; seconds: number }>({
    name: "due_sessions",
    text: `
      with waiting (since) as (
        select pending_at from sessions where ${IS_DUE} and ${mayHaveTurn("$1", "$2")}
        union all
        select greatest(pending_at, lease_until) from sessions
        where pending_at is not null and lease_owner is not null and lease_until < now()
      )
      select count(*)::integer as count,
        coalesce(extract(epoch from now() - min(since)), 0)::double precision as seconds
      from waiting`,
    values: [full.organizations, full.owners],
  });
  return rows[0] ?? { count: 0, seconds: 0 };
}
