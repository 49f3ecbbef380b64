import type { Queryable } from "@berth/store/db";

/** The owner of a sandbox. Both ids are uuids. */
export interface UsageOwner {
  organizationId: string;
  ownerId: string;
}

const DAYS_KEPT = 31;

/** Adds to the usage of the owners today. Each owner must be given once. */
export async function addSandboxSeconds(
  db: Queryable,
  used: readonly (UsageOwner & { seconds: number })[],
): Promise<void> {
  await db.query({
    name: "add_sandbox_seconds",
    text: `
      with old as (
        delete from sandbox_usage where owner_id = any($1::uuid[]) and day < (now() at time zone 'utc')::date - ${DAYS_KEPT}
      )
      insert into sandbox_usage (owner_id, day, organization_id, seconds)
      select owner_id, (now() at time zone 'utc')::date, organizations.id, seconds
      from unnest($1::uuid[], $2::uuid[], $3::double precision[]) as used (owner_id, organization_id, seconds)
        join organizations on organizations.id = used.organization_id
      order by owner_id
      on conflict (owner_id, day) do update set seconds = sandbox_usage.seconds + excluded.seconds`,
    values: [
      used.map(({ ownerId }) => ownerId),
      used.map(({ organizationId }) => organizationId),
      used.map(({ seconds }) => seconds),
    ],
  });
}

/** Stores the bytes that disks take on their hosts, for sessions that still have a disk. */
export async function storeDiskBytes(
  db: Queryable,
  disks: readonly { sessionId: string; bytes: number }[],
): Promise<void> {
  await db.query({
    name: "store_disk_bytes",
    text: `
      insert into disk_usage (session_id, organization_id, owner_id, bytes)
      select sessions.id, organization_id, owner_id, measured.bytes
      from unnest($1::uuid[], $2::bigint[]) as measured (id, bytes) join sessions on sessions.id = measured.id
      where home is not null order by sessions.id
      on conflict (session_id) do update set bytes = excluded.bytes`,
    values: [disks.map(({ sessionId }) => sessionId), disks.map(({ bytes }) => bytes)],
  });
}
