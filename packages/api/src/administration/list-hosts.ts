import type { Host } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { differingSettings, readHosts } from "@berth/store/leases";

/**
 * Lists all hosts by id. The settings of each are compared with those of `ownId`, or of the host seen last if
 * `ownId` was never seen.
 */
export async function listHosts(db: Queryable, ownId: string): Promise<Host[]> {
  const rows = await readHosts(db);
  const latest = rows.toSorted((a, b) => (a.seen_seconds_ago ?? Infinity) - (b.seen_seconds_ago ?? Infinity));
  const reference = (rows.find(({ id }) => id === ownId) ?? latest[0])?.settings ?? {};
  return rows.map(({ settings, seen_at, id, ...row }) => ({
    id,
    type: "host",
    ...row,
    seen_at: seen_at?.toISOString() ?? null,
    other_settings: differingSettings(reference, settings ?? {}),
  }));
}
