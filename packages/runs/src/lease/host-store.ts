import type { Queryable } from "@berth/store/db";
import { type Host, milliseconds } from "@berth/store/leases";

/** Returns whether the host is drained: it takes nothing new, and gives up what it has once idle. */
export async function isDraining(db: Queryable, hostId: string): Promise<boolean> {
  const { rows } = await db.query<{ draining: boolean }>({
    name: "is_draining",
    text: "select draining from hosts where id = $1",
    values: [hostId],
  });
  return rows[0]?.draining ?? false;
}

/** Marks a host that runs no sessions as seen. Hosts that run sessions are marked by their claims. */
export async function markSeen(
  db: Queryable,
  { id, place, version, settings, name, role }: Host,
): Promise<void> {
  await db.query({
    name: "mark_seen",
    text: `
      insert into hosts (id, place, version, settings, capacity, name, role) values ($1, $2, $3, $4, 0, $5, $6)
      on conflict (id) do update set
        version = excluded.version, settings = excluded.settings, capacity = 0, name = excluded.name,
        role = excluded.role, seen_at = now()`,
    values: [id, place, version, settings, name, role],
  });
}

/** Returns whether a host that runs sessions was seen within the time. */
export async function runnersSeen(db: Queryable, withinMs: number): Promise<boolean> {
  const { rows } = await db.query<{ seen: boolean }>({
    name: "runners_seen",
    text: `select exists (
      select from hosts where role <> 'api' and seen_at > now() - ${milliseconds("$1")}
    ) as seen`,
    values: [withinMs],
  });
  return rows[0]?.seen ?? false;
}

/** Returns how many hosts that serve requests were seen within the time. */
export async function apisSeen(db: Queryable, withinMs: number): Promise<number> {
  const { rows } = await db.query<{ seen: number }>({
    name: "apis_seen",
    text: `
      select count(*)::integer as seen from hosts
      where role <> 'runner' and seen_at > now() - ${milliseconds("$1")}`,
    values: [withinMs],
  });
  return rows[0]?.seen ?? 0;
}

/** Digests of settings, by name. */
export type SettingDigests = Readonly<Record<string, string>>;

/** Returns the settings of the other hosts that were seen within the time. */
export async function settingsOfOthers(
  db: Queryable,
  hostId: string,
  withinMs: number,
): Promise<Array<{ id: string; settings: SettingDigests }>> {
  const { rows } = await db.query<{ id: string; settings: SettingDigests }>({
    name: "settings_of_others",
    text: `
      select id, settings from hosts
      where id <> $1 and seen_at > now() - ${milliseconds("$2")} order by id`,
    values: [hostId, withinMs],
  });
  return rows;
}

/** Returns whether another host was seen within the time. */
export async function otherHostsSeen(db: Queryable, hostId: string, withinMs: number): Promise<boolean> {
  const { rows } = await db.query<{ seen: boolean }>({
    name: "other_hosts_seen",
    text: `select exists (
      select from hosts where id <> $1 and seen_at > now() - ${milliseconds("$2")}
    ) as seen`,
    values: [hostId, withinMs],
  });
  return rows[0]?.seen ?? false;
}
