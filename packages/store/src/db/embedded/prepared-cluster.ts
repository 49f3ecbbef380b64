import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { clientConfig, type SocketConnection } from "../connection.ts";
import { DatabaseClient } from "../database-client.ts";
import { migrate } from "../migrate.ts";
import { readMigrations } from "../migrations.ts";
import { execute } from "../statement.ts";
import { packagedVersion } from "./binaries.ts";
import type { PreparedCluster } from "./cluster.ts";
import { packCluster } from "./cluster-archive.ts";
import { startEmbeddedPostgres } from "./start-embedded-postgres.ts";

const DIRECTORY = join(import.meta.dirname, "../../../dist");

/** Statements that renew what differs between databases to which the same migrations were applied. */
const RENEWAL = [
  "update database_identity set id = gen_random_uuid()",
  "update schema_migrations set applied_at = now()",
];

/**
 * Returns the cluster, made in advance, that has every migration of this Berth and nothing else. An
 * installation starts with a copy of it, which takes a tenth of the work. Returns undefined when none was
 * made of exactly these migrations by this PostgreSQL.
 */
export function preparedCluster(): PreparedCluster | undefined {
  const archive = archiveIn(DIRECTORY);
  return existsSync(archive) ? { archive, renewal: RENEWAL } : undefined;
}

/** Returns whether the prepared cluster is missing and can be made. */
export function isPreparationDue(): boolean {
  return packagedVersion() !== null && preparedCluster() === undefined;
}

/** Makes the prepared cluster, and removes those of other migrations. */
export async function prepareCluster(): Promise<void> {
  const archive = archiveIn(DIRECTORY);
  const work = mkdtempSync(join(tmpdir(), "berth-cluster-"));
  try {
    const dataDir = join(work, "postgres");
    const server = await startEmbeddedPostgres({ dataDir, log: pino({ level: "silent" }) });
    await fill(server.connection).finally(() => server.stop());
    mkdirSync(DIRECTORY, { recursive: true });
    for (const name of readdirSync(DIRECTORY)) rmSync(join(DIRECTORY, name), { force: true });
    const partial = `${archive}.${process.pid}`;
    writeFileSync(partial, packCluster(join(dataDir, "cluster")), { flush: true });
    renameSync(partial, archive);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Removes unused databases, which would be two fifths of the files. */
const UNUSED = [
  "update pg_database set datistemplate = false where datname = 'template0'",
  "drop database template0",
  "drop database postgres",
];

async function fill(connection: SocketConnection): Promise<void> {
  await migrate({ connection });
  const client = new DatabaseClient(clientConfig({ connection }));
  await client.connect();
  try {
    for (const text of UNUSED) await execute(client, { text });
  } finally {
    await client.end();
  }
}

/** Returns the archive's path, which contains a hash of what the archive is made of. */
function archiveIn(directory: string): string {
  const made = [packagedVersion(), process.arch, readMigrations().map(({ checksum }) => checksum)];
  const digest = createHash("sha256").update(JSON.stringify(made)).digest("hex");
  return join(directory, `cluster-${digest.slice(0, 16)}.zst`);
}
