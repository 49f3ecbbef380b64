import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { forgetHome } from "@berth/store/leases";

export interface RestoredCounts {
  sessions: number;
  events: number;
  files: number;
}

/**
 * Records in a restored database that disks of sessions, prepared repositories and hosts of the original
 * installation do not exist. Sessions get an event that their disks are lost.
 */
export async function giveUpMachines(db: DatabaseAccess): Promise<void> {
  const homes = await db.write.query<{ id: string; home: string }>({
    text: "select id, home from sessions where home is not null order by id",
  });
  for (const { id, home } of homes.rows) await forgetHome(db.write, id, home);
  await db.transaction(async (tx) => {
    await tx.query({ text: "update session_resources set snapshot_id = null where snapshot_id is not null" });
    await tx.query({ text: "delete from volume_snapshots" });
    await tx.query({ text: "delete from repository_snapshots" });
    await tx.query({ text: "delete from repository_mirrors" });
    await tx.query({ text: "delete from hosts" });
    for (const table of ["warm_disks", "warm_starts", "warm_pools"])
      await tx.query({ text: `delete from ${table}` });
  });
}

export async function countRestored(db: Queryable): Promise<RestoredCounts> {
  const { rows } = await db.query<RestoredCounts>({
    text: `
      select (select count(*) from sessions where deleted_at is null) as sessions,
        (select count(*) from events) as events,
        (select count(*) from files where sha256 is not null) as files`,
  });
  return rows[0] ?? { sessions: 0, events: 0, files: 0 };
}
