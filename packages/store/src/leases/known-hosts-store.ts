import type { Queryable } from "../db/statement.ts";
import { localPlace } from "./host.ts";

/** A service of the database, or the home of sessions whose service was never seen. */
export interface KnownHost {
  id: string;
  place: string;
  /** Name of its machine. Null, like the fields below, when the host was never seen. */
  name: string | null;
  version: string | null;
  role: "all" | "api" | "runner" | null;
  capacity: number | null;
  seen_at: Date | null;
  seen_seconds_ago: number | null;
  draining: boolean;
  /** Number of sessions whose turn it runs. */
  running_sessions: number;
  /** Number of sessions whose disk it has. */
  sessions: number;
  /** Number of deleted sessions whose disk it still has to remove. */
  deleted_sessions: number;
  /** Digests of settings, by name. */
  settings: Record<string, string> | null;
}

/** Returns all hosts, ordered by id. */
export async function readHosts(db: Queryable): Promise<KnownHost[]> {
  const { rows } = await db.query<KnownHost>({
    text: `
      with homes as (
        select home as place,
          count(*) filter (where deleted_at is null)::integer as sessions,
          count(*) filter (where deleted_at is not null)::integer as deleted,
          count(*) filter (where status = 'running' and lease_owner is not null)::integer as running
        from sessions where home is not null group by home
      )
      select coalesce(hosts.id, case when starts_with(homes.place, $1) then substr(homes.place, length($1) + 1) else homes.place end) as id, coalesce(hosts.place, homes.place) as place,
        hosts.name, version, role, capacity, seen_at, settings, coalesce(draining, false) as draining,
        extract(epoch from now() - seen_at)::double precision as seen_seconds_ago,
        coalesce(homes.running, 0) as running_sessions,
        coalesce(homes.sessions, 0) as sessions, coalesce(homes.deleted, 0) as deleted_sessions
      from hosts full join homes on homes.place = hosts.place
      order by 1`,
    values: [localPlace("")],
  });
  return rows;
}
