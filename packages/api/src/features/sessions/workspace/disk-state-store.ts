import type { Queryable } from "@berth/store/db";

/** Facts that decide whether a session's disk can be read. */
export interface DiskState {
  hasDisk: boolean;
  /** Whether the session had a disk that was reclaimed or lost. */
  reclaimed: boolean;
  archived: boolean;
  terminated: boolean;
  /** Milliseconds since a service on the disk's machine was last seen; null when no such service is known. */
  awayMs: number | null;
  /** Mount paths of the session's resources. */
  mountPaths: string[];
}

/** @param sessionId a uuid. @returns null when the session does not exist. */
export async function readDiskState(db: Queryable, sessionId: string): Promise<DiskState | null> {
  const { rows } = await db.query<DiskState>({
    name: "disk_state",
    text: `
      select home is not null as "hasDisk", archived_at is not null as archived, terminated_at is not null as terminated,
        home is null and exists (
          select from events where session_id = sessions.id and type = 'session.container_reclaimed'
        ) as reclaimed,
        (
          select extract(epoch from now() - max(seen_at)) * 1000 from hosts where place = home
        )::float8 as "awayMs",
        array(select mount_path from session_resources where session_id = sessions.id) as "mountPaths"
      from sessions where id = $1 and deleted_at is null`,
    values: [sessionId],
  });
  return rows[0] ?? null;
}
