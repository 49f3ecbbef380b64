import type { SandboxShape } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import { milliseconds } from "@berth/store/leases";

/** A disk of the pool that no session has. */
export interface PoolDisk {
  name: string;
  uid: number;
  key: string;
  state: "making" | "ready" | "leaving";
  /** Seconds since its state last changed. */
  age: number;
}

/** The runner that keeps the pool of a place. */
export interface Keeper {
  place: string;
  /** The name of the runner. */
  keeper: string;
}

/** The number of last new disks of a place that decide which shapes its pool has. */
const STARTS = 20;

/** Makes the runner keep the pool for `forMs` from now. Returns false when another runner keeps it. */
export async function holdPool(db: Queryable, { place, keeper }: Keeper, forMs: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "hold_pool",
    text: `
      insert into warm_pools (place, keeper, until) values ($1, $2, now() + ${milliseconds("$3")})
      on conflict (place) do update set keeper = excluded.keeper, until = excluded.until
      where warm_pools.keeper = $2 or warm_pools.until < now()`,
    values: [place, keeper, forMs],
  });
  return rowCount === 1;
}

/** Gives the pool up, so that another runner can keep it at once. */
export async function leavePool(db: Queryable, { place, keeper }: Keeper): Promise<void> {
  const text = "delete from warm_pools where place = $1 and keeper = $2";
  await db.query({ name: "leave_pool", text, values: [place, keeper] });
}

/**
 * Takes one disk that no session has out of the pool, preferably one that is still being made. No runner can
 * keep the pool for `forMs`.
 *
 * @returns its name, or null when there is none.
 */
export async function giveUpDisk(db: Queryable, place: string, forMs: number): Promise<string | null> {
  const { rows } = await db.query<{ name: string }>({
    name: "give_up_warm_disk",
    text: `
      with held as (
        insert into warm_pools (place, keeper, until) values ($1, '', now() + ${milliseconds("$2")})
        on conflict (place) do update set keeper = excluded.keeper, until = excluded.until
      )
      update warm_disks set state = 'leaving', changed_at = now()
      where name = (
        select name from warm_disks where place = $1 and state in ('making', 'ready')
        order by state = 'ready', changed_at limit 1 for update skip locked
      )
      returning name`,
    values: [place, forMs],
  });
  return rows[0]?.name ?? null;
}

/** Returns whether the place has disks in its pool, or disks that were taken from it. */
export async function hasPool(db: Queryable, place: string): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>({
    name: "has_pool",
    text: "select exists (select from warm_disks where place = $1) as found",
    values: [place],
  });
  return rows[0]?.found ?? false;
}

/** Returns the disks of the pool, oldest first. */
export async function readPool(db: Queryable, place: string): Promise<PoolDisk[]> {
  const { rows } = await db.query<PoolDisk>({
    name: "read_pool",
    text: `
      select name, uid, key, state, extract(epoch from now() - changed_at)::double precision as age
      from warm_disks where place = $1 and state <> 'taken' order by changed_at, name`,
    values: [place],
  });
  return rows;
}

/** Returns the number of ready disks of all places. */
export async function countReady(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ ready: number }>({
    name: "count_warm",
    text: "select count(*)::integer as ready from warm_disks where state = 'ready'",
  });
  return rows[0]?.ready ?? 0;
}

/** Returns the shapes of the last new disks, newest first. Deletes the records of earlier ones. */
export async function lastShapes(db: Queryable, place: string): Promise<SandboxShape[]> {
  const { rows } = await db.query<{ shape: SandboxShape }>({
    name: "last_shapes",
    text: `
      with last as (
        select at, shape from warm_starts where place = $1 and at > now() - interval '1 day'
        order by at desc limit ${STARTS}
      ), forgotten as (
        delete from warm_starts where place = $1 and at < coalesce((select min(at) from last), now())
      )
      select shape from last order by at desc`,
    values: [place],
  });
  return rows.map(({ shape }) => shape);
}

/**
 * Adds a new disk to the pool, which is then to be made. Its name contains its uid, which no other disk has.
 *
 * @returns null when another runner keeps the pool.
 */
export async function addDisk(
  db: Queryable,
  { place, keeper }: Keeper,
  key: string,
): Promise<{ name: string; uid: number } | null> {
  for (;;) {
    const { rows } = await db.query<{ held: boolean; name: string | null; uid: number }>({
      name: "add_warm_disk",
      text: `
        with held as (
          select from warm_pools where place = $1 and keeper = $2 and until > now() for update
        ), next as materialized (
          select nextval('warm_uids')::integer as uid from held
        ), added as (
          insert into warm_disks (name, place, key, uid, state)
          select 'warm_' || uid || '_' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 12), $1, $3, uid, 'making' from next
          where not exists (select from sessions where workspace_uid = uid)
          on conflict do nothing
          returning name, uid
        )
        select exists (select from held) as held, added.name, added.uid from (values (1)) as one left join added on true`,
      values: [place, keeper, key],
    });
    const [row] = rows;
    if (row?.held !== true) return null;
    if (row.name !== null) return { name: row.name, uid: row.uid };
  }
}

/** Marks a disk as ready, so that sessions may take it. Returns false when it has left the pool meanwhile. */
export async function markReady(db: Queryable, name: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "mark_warm_ready",
    text: "update warm_disks set state = 'ready', changed_at = now() where name = $1 and state = 'making'",
    values: [name],
  });
  return rowCount === 1;
}

/** Marks a disk as leaving, so that no session can take it. Returns false when a session has taken it. */
export async function markLeaving(db: Queryable, name: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "mark_warm_leaving",
    text: "update warm_disks set state = 'leaving', changed_at = now() where name = $1 and state in ('making', 'ready')",
    values: [name],
  });
  return rowCount === 1;
}

/** Marks the disks as leaving that sessions took and that they have no longer. */
export async function leaveUnused(db: Queryable, place: string): Promise<void> {
  await db.query({
    name: "leave_unused",
    text: `
      update warm_disks set state = 'leaving', changed_at = now()
      where place = $1 and state = 'taken' and not exists (
        select from sessions where disk = name and home = $1
      )`,
    values: [place],
  });
}

/** Deletes the row of a leaving disk that was removed. */
export async function forgetDisk(db: Queryable, name: string): Promise<void> {
  const text = "delete from warm_disks where name = $1 and state = 'leaving'";
  await db.query({ name: "forget_warm_disk", text, values: [name] });
}
