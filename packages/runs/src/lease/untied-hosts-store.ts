import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { type Host, isSharedPlace, milliseconds, SHARED_PLACES } from "@berth/store/leases";

/** Longer than a container that fails again and again waits for its next start in a cluster, five minutes: it comes back as the same host. */
const GONE_MS = 600_000;
/** A drained host stays drained when it comes back, however long it was stopped; one that is gone is listed for a day. */
const DRAINED_GONE = "interval '1 day'";

/** SQL: whether a host of `hosts` is to be had back with nothing lost: it has no disk of a session, or another that is there has all of them. */
const IS_UNTIED = `(
    (role = 'api' and not exists (select from sessions where home = hosts.place))
    or (starts_with(place, '${SHARED_PLACES}') and exists (
      select from hosts as other
      where other.place = hosts.place and other.id <> hosts.id and other.seen_at > now() - ${milliseconds("$1")}
    ))
  )`;

/**
 * Removes the hosts that are gone with nothing tied to them, as pods that were replaced. One that comes back is listed again. A host that
 * has disks stays until the operator forgets it, and so does the last one of a place with disks.
 *
 * @param graceMs a host that was seen within this time is there. One that was not is gone ten minutes later, a drained one in a day.
 */
export async function removeGoneHosts(db: Queryable, graceMs: number): Promise<void> {
  await db.query({
    name: "remove_gone_hosts",
    text: `
      delete from hosts
      where seen_at < now() - ${milliseconds("$1")}
          - case when draining then ${DRAINED_GONE} else ${milliseconds("$2")} end
        and ${IS_UNTIED}`,
    values: [graceMs, GONE_MS],
  });
}

/** Removes a host that stops, where nothing is tied to it. One that is drained stays, since it may be started again. */
export async function leaveHosts(db: DatabaseAccess, { id, place, role, graceMs }: Host): Promise<void> {
  if (role !== "api" && !isSharedPlace(place)) return;
  await db.transaction(async (tx) => {
    // Of hosts that stop at the same time one stays.
    await tx.query({ text: "select from hosts where place = $1 order by id for update", values: [place] });
    await tx.query({
      text: `delete from hosts where id = $2 and not draining and ${IS_UNTIED}`,
      values: [graceMs, id],
    });
  });
}
