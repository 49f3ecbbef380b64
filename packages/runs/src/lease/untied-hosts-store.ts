import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { type Host, isSharedPlace, milliseconds, SHARED_PLACES } from "@berth/store/leases";

/**
 * Milliseconds after which a host is gone. It is longer than the five minutes that a cluster waits, at most,
 * before it restarts a container that keeps failing: that container comes back as the same host.
 */
const GONE_MS = 600_000;
/** The same for a drained host. It stays drained if it comes back within this time. */
const DRAINED_GONE = "interval '1 day'";

/**
 * SQL: whether a host of `hosts` can be removed with nothing lost. It has no disk of a session, or another
 * present host of its place has all of them.
 */
const IS_UNTIED = `(
    (role = 'api' and not exists (select from sessions where home = hosts.place))
    or (starts_with(place, '${SHARED_PLACES}') and exists (
      select from hosts as other
      where other.place = hosts.place and other.id <> hosts.id and other.seen_at > now() - ${milliseconds("$1")}
    ))
  )`;

/**
 * Removes the hosts that are gone with nothing tied to them, such as pods that were replaced. A host that
 * comes back is listed again. A host that has disks, and the last host of a place with disks, stay until the
 * operator forgets them.
 *
 * @param graceMs a host that was seen within this time is present. Ten minutes after it a host is gone, a
 * drained one after a day.
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

/** Removes a host that stops, if nothing is tied to it. A drained host stays, since it may start again. */
export async function leaveHosts(db: DatabaseAccess, { id, place, role, graceMs }: Host): Promise<void> {
  if (role !== "api" && !isSharedPlace(place)) return;
  await db.transaction(async (tx) => {
    // The lock makes one of the hosts stay when several stop at the same time.
    await tx.query({ text: "select from hosts where place = $1 order by id for update", values: [place] });
    await tx.query({
      text: `delete from hosts where id = $2 and not draining and ${IS_UNTIED}`,
      values: [graceMs, id],
    });
  });
}
