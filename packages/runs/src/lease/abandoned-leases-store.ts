import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";

/**
 * How long a lease has to be over: its holder may only have been away from the database. And how long a session may have been due, which whoever
 * claims it goes on with.
 */
const SLACK = "interval '15 seconds'";

/**
 * Those of the leases whose session nobody holds: who holds it with a later one may go on with what they left. Of a session that is not known
 * here nothing is said.
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
