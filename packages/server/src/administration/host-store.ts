import { differingSettings } from "../config/setting-digests.ts";
import type { Queryable } from "../db/statement.ts";
import { forgetHome } from "../runs/lease/forget-home.ts";
import { localPlace } from "../runs/lease/host.ts";
import { OperatorError } from "./as-operator.ts";

/** A service that runs sessions of the database, or the home of sessions whose service was never seen. */
export interface HostEntry {
  id: string;
  place: string;
  /** Of its machine. Null while it runs a version that does not tell it, or as what follows. */
  name: string | null;
  /** Null, as what follows, when the host was never seen by this version. */
  version: string | null;
  capacity: number | null;
  seen_at: string | null;
  seen_seconds_ago: number | null;
  draining: boolean;
  /** Sessions whose disk it has. */
  sessions: number;
  /** Deleted sessions whose disk it still has to remove. */
  deleted_sessions: number;
  /** Settings whose value is not that of the host that asks. */
  other_settings: string[];
}

type Row = Omit<HostEntry, "seen_at" | "other_settings"> & {
  seen_at: Date | null;
  settings: Record<string, string> | null;
};

/** All hosts by id, each compared with `ownId`, or with the one that was seen last if that was never seen. */
export async function listHosts(db: Queryable, ownId: string): Promise<HostEntry[]> {
  const rows = await readHosts(db);
  const latest = rows.toSorted((a, b) => (a.seen_seconds_ago ?? Infinity) - (b.seen_seconds_ago ?? Infinity));
  const reference = (rows.find(({ id }) => id === ownId) ?? latest[0])?.settings ?? {};
  return rows.map(({ settings, seen_at, ...row }) => ({
    ...row,
    seen_at: seen_at?.toISOString() ?? null,
    other_settings: differingSettings(reference, settings ?? {}),
  }));
}

/**
 * Begins to drain a host, or ends that. Returns the host.
 *
 * @throws OperatorError when it was never seen.
 */
export async function setDraining(db: Queryable, id: string, draining: boolean): Promise<HostEntry> {
  await db.query({ text: "update hosts set draining = $2 where id = $1", values: [id, draining] });
  const host = (await listHosts(db, id)).find((entry) => entry.id === id && entry.version !== null);
  if (host === undefined) throw unknownHost(id);
  return host;
}

/**
 * Gives up the disks of a host that is gone, and removes the host. Its sessions continue elsewhere without them.
 *
 * @param graceMs a host that was seen within this time is there.
 * @returns how many sessions it had.
 * @throws OperatorError when there is no such host, or when it is there and `force` is not set.
 */
export async function forgetHost(
  db: Queryable,
  id: string,
  { graceMs, force }: { graceMs: number; force: boolean },
): Promise<{ sessions: number }> {
  const host = (await readHosts(db)).find((entry) => entry.id === id);
  if (host === undefined) throw unknownHost(id);
  const { seen_seconds_ago: age, place } = host;
  if (age !== null && age * 1_000 < graceMs && !force) {
    const ago = Math.max(0, Math.round(age));
    throw new OperatorError(
      `The host '${id}' was seen ${ago} seconds ago, so it may have the disks of its sessions. Stop it and wait, drain it, or use --force to give the disks up.`,
    );
  }
  await db.query({ text: "delete from hosts where id = $1", values: [id] });
  const { rows } = await db.query<{ id: string }>({
    text: "select id from sessions where home = $1 order by id",
    values: [place],
  });
  let sessions = 0;
  for (const session of rows) if (await forgetHome(db, session.id, place)) sessions += 1;
  return { sessions };
}

async function readHosts(db: Queryable): Promise<Row[]> {
  const { rows } = await db.query<Row>({
    text: `
      with homes as (
        select home as place,
          count(*) filter (where deleted_at is null)::integer as sessions,
          count(*) filter (where deleted_at is not null)::integer as deleted
        from sessions where home is not null group by home
      )
      select coalesce(hosts.id, substr(homes.place, $1)) as id, coalesce(hosts.place, homes.place) as place,
        hosts.name, version, capacity, seen_at, settings, coalesce(draining, false) as draining,
        extract(epoch from now() - seen_at)::double precision as seen_seconds_ago,
        coalesce(homes.sessions, 0) as sessions, coalesce(homes.deleted, 0) as deleted_sessions
      from hosts full join homes on homes.place = hosts.place
      order by 1`,
    values: [localPlace("").length + 1],
  });
  return rows;
}

function unknownHost(id: string): OperatorError {
  return new OperatorError(`There is no host '${id}'. 'berth admin hosts list' lists them.`);
}
