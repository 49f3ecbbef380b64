import type { Queryable } from "../../db/statement.ts";
import type { Lease } from "./lease.ts";

/** How long a lease has to be over: its holder may only have been away from the database. */
const SLACK = "interval '15 seconds'";

/** Those of the leases that are over: the session has a later one, or none. Of a session that is not known here nothing is said. */
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
      where lease_epoch > asked.epoch
        or lease_epoch = asked.epoch and (lease_owner is null or lease_until < now() - ${SLACK})`,
    values: [leases.map(({ sessionId }) => sessionId), leases.map(({ epoch }) => epoch)],
  });
  return rows.map(({ id, epoch }) => ({ sessionId: id, epoch }));
}
