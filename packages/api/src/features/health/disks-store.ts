import type { Health } from "@berth/contract";
import type { Queryable } from "@berth/store/db";

/** Sums the disks of sessions and the snapshots of repositories, on all hosts. */
export async function readDisks(
  db: Queryable,
): Promise<Pick<Health, "session_disks" | "repository_snapshots">> {
  const { rows } = await db.query<Record<"disks" | "disk_bytes" | "mirrors" | "snapshots" | "bytes", number>>(
    {
      name: "installation_disks",
      text: `
      select
        (select count(*) from disk_usage) as disks,
        (select coalesce(sum(bytes), 0)::bigint from disk_usage) as disk_bytes,
        (select count(*) from repository_mirrors) as mirrors,
        (select count(*) from repository_snapshots) as snapshots,
        (select coalesce(sum(bytes), 0)::bigint from repository_mirrors)
          + (select coalesce(sum(bytes), 0)::bigint from repository_snapshots) as bytes`,
    },
  );
  const [row] = rows;
  if (row === undefined) throw new Error("The database returned no sizes of disks.");
  return {
    session_disks: { count: row.disks, bytes: row.disk_bytes },
    repository_snapshots: { repositories: row.mirrors, count: row.snapshots, bytes: row.bytes },
  };
}
