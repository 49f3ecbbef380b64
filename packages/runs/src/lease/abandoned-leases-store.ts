import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";

/**
 * Grace before a lease counts as abandoned, since its holder may only have lost the database for a moment.
 * The same grace applies to a session that is due.
 */
const SLACK = "interval '15 seconds'";

/**
 * Returns which of the leases belong to sessions that nobody holds. The holder of a later lease may continue
 * with what an earlier one left. Leases of sessions that this database does not know are not returned.
 */
export async function abandonedLeases(
  db: Queryable,
  leases: readonly Pick<Lease, "sessionId" | "epoch">[],
): Promise<Pick<Lease, "sessionId" | "epoch">[]> {
  if (leases.length === 0) return [];
  const { rows } = await db.query<{ id: string; epoch: number }>({
    name: "abandoned_leases",
    text: `
      select sessions.id, asked.epoch
      from unnest($1::uuid[], $2::bigint[]) as asked (id, epoch) join sessions on sessions.id = asked.id
      where lease_epoch >= asked.epoch
        and (lease_owner is null and coalesce(pending_at < now() - ${SLACK}, true) or lease_until < now() - ${SLACK})`,
    values: [leases.map(({ sessionId }) => sessionId), leases.map(({ epoch }) => epoch)],
  });
  return rows.map(({ id, epoch }) => ({ sessionId: id, epoch }));
}
