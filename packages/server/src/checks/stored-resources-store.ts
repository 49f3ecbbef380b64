import type { Queryable } from "@berth/store/db";
import type { Ceilings } from "../config/ceilings.ts";

/** Returns the number of usable environments that request more than the ceilings. */
export async function environmentsAbove(db: Queryable, ceilings: Ceilings): Promise<number> {
  const { rows } = await db.query<{ above: number }>({
    name: "environments_above",
    text: `
      select count(*)::integer as above from environments
      where deleted_at is null and archived_at is null and (
        (resources ->> 'cpus')::numeric > $1 or (resources ->> 'memory_mb')::numeric > $2
        or (resources ->> 'pids')::numeric > $3 or (resources ->> 'disk_mb')::numeric > $4
      )`,
    values: [ceilings.cpus, ceilings.memory_mb, ceilings.pids, ceilings.disk_mb],
  });
  return rows[0]?.above ?? 0;
}
