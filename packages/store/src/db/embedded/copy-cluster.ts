import { randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyTree } from "@berth/linux";
import { clientConfig, type SocketConnection } from "../connection.ts";
import { DatabaseClient } from "../database-client.ts";
import { execute } from "../statement.ts";

/** Directories whose files a server creates anew. */
export const EMPTIED = [
  ...["pg_dynshmem", "pg_notify", "pg_replslot", "pg_serial", "pg_snapshots", "pg_stat_tmp"],
  ...["pg_subtrans", "pg_wal"],
];
/** Files of a running server, or of an earlier backup. */
export const LEFT_OUT =
  /^(postmaster\.(pid|opts)|pgsql_tmp.*|pg_internal\.init.*|backup_label.*|tablespace_map.*)$/;

interface Options {
  /** The directory of a running cluster. */
  cluster: string;
  connection: SocketConnection;
  /** Stops the copy, which then rejects. */
  signal?: AbortSignal;
}

/**
 * Copies the files of a running cluster to a new directory, without blocking the server. The copy contains
 * every transaction that was committed before the returned time. A server that starts on it first replays the
 * WAL up to that point.
 * @returns when the copy ended, by the server's clock.
 */
export async function copyCluster(to: string, { cluster, connection, signal }: Options): Promise<Date> {
  const client = new DatabaseClient({
    ...clientConfig({ connection }),
    ...{ statement_timeout: false, query_timeout: 0 },
  });
  await client.connect();
  try {
    const first = await startCopying(client);
    await copyTree(cluster, to, { signal, leaveOut: isLeftOut });
    const { last, label, endedAt } = await stopCopying(client);
    await writeFile(join(to, "backup_label"), label, { mode: 0o600, flag: "wx" });
    await copyLog(join(cluster, "pg_wal"), join(to, "pg_wal"), { first, last });
    return endedAt;
  } finally {
    // Closing the connection also ends an unfinished backup on the server.
    await client.end().catch(() => undefined);
  }
}

function isLeftOut(path: string): boolean {
  const parts = path.split("/");
  return LEFT_OUT.test(parts.at(-1) ?? "") || (parts.length > 1 && EMPTIED.includes(parts[0] ?? ""));
}

/**
 * Starts a backup and returns the first WAL file that the copy needs. A replication slot keeps it and the
 * later ones until the connection ends.
 */
async function startCopying(client: DatabaseClient): Promise<string> {
  const name = `berth_backup_${randomBytes(8).toString("hex")}`;
  await execute(client, {
    text: "select pg_create_physical_replication_slot($1, true, true)",
    values: [name],
  });
  const text = "select pg_walfile_name(pg_backup_start('berth', true)) as first";
  const { rows } = await execute<{ first: string }>(client, { text });
  return rows[0]?.first ?? "";
}

async function stopCopying(client: DatabaseClient): Promise<{ last: string; label: string; endedAt: Date }> {
  const now = await execute<{ at: Date }>(client, { text: "select clock_timestamp() as at" });
  const { rows } = await execute<{ last: string; label: string }>(client, {
    text: "select pg_walfile_name(lsn) as last, labelfile as label from pg_backup_stop(false)",
  });
  const [stopped] = rows;
  const endedAt = now.rows[0]?.at;
  if (stopped === undefined || endedAt === undefined) throw new Error("PostgreSQL did not end the backup.");
  return { ...stopped, endedAt };
}

async function copyLog(from: string, to: string, { first, last }: { first: string; last: string }) {
  await mkdir(join(to, "archive_status"), { recursive: true, mode: 0o700 });
  const isNeeded = (name: string) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last;
  const names = (await readdir(from)).filter(isNeeded);
  await copyTree(from, to, { leaveOut: (path) => !names.includes(path) });
}
