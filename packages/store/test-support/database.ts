import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import pg from "pg";
import { pino } from "pino";
import { SERVERS_DIRECTORY } from "../../../tests/postgres-server/servers-directory.ts";
import { type SocketConnection, socketTarget } from "../src/db/connection.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../src/db/embedded/start-embedded-postgres.ts";
import { migrate } from "../src/db/migrate.ts";
import { type Database, type DatabaseOptions, openDatabase } from "../src/db/pool.ts";

/** A logger for tests that logs nothing. */
export const silentLog = pino({ level: "silent" });

/**
 * A PostgreSQL server for store tests. The first test that uses it starts it; it is stopped after the file.
 */
export type TestServer = { label: string; bin?: string; start(): Promise<EmbeddedPostgres> };

export type TestDatabase = Database & { connection: SocketConnection };

/** The embedded PostgreSQL, and the distribution's newest one if installed: store tests run on each. */
export const testServers: readonly TestServer[] = [
  testServer("embedded PostgreSQL"),
  ...distributionBin().map((bin) => testServer(`the distribution's PostgreSQL (${bin})`, bin)),
];

/**
 * Opens an empty database with the current schema for one test. It is closed and dropped when the test ends.
 */
export async function testDatabase(
  t: TestContext,
  server = testServers[0],
  pool: Pick<DatabaseOptions, "max" | "readers"> = {},
): Promise<TestDatabase> {
  if (server === undefined) throw new Error("There is no PostgreSQL to test on.");
  const { connection } = await server.start();
  const name = `test_${process.pid}_${++databases}`;
  const settings = FOREIGN_DEFAULTS.map((setting) => `alter database ${name} set ${setting}`);
  await administer(connection, `create database ${name} template ${TEMPLATE}`, settings.join(";"));
  const database = openDatabase({ ...pool, connection: { ...connection, database: name }, log: silentLog });
  t.after(async () => {
    await database.close();
    await administer(connection, `drop database ${name} with (force)`);
  });
  return { ...database, connection: { ...connection, database: name } };
}

/** Connections for writes of each process that `openAsProcesses` opens. */
export const CONNECTIONS = 3;

/** Opens the same database as several processes would. */
export function openAsProcesses(
  t: TestContext,
  { connection }: Pick<TestDatabase, "connection">,
  count: number,
): Database[] {
  const databases = Array.from({ length: count }, () =>
    openDatabase({ connection, log: silentLog, max: CONNECTIONS }),
  );
  t.after(() => Promise.all(databases.map((database) => database.close())));
  return databases;
}

/**
 * Defaults that an operator's database may have, with a time zone where it is another day than in UTC. No
 * statement may depend on them.
 */
const FOREIGN_DEFAULTS = [
  `timezone = '${new Date().getUTCHours() < 12 ? "Etc/GMT+12" : "Etc/GMT-14"}'`,
  "datestyle = 'German, DMY'",
  "intervalstyle = 'iso_8601'",
  "bytea_output = 'escape'",
  "default_transaction_isolation = 'repeatable read'",
];

const TEMPLATE = "berth_template";
const MIGRATIONS = join(import.meta.dirname, "../src/db/migrations");
let databases = 0;

function testServer(label: string, bin?: string): TestServer {
  let started: Promise<EmbeddedPostgres> | undefined;
  const dataDir = mkdtempLater();
  after(async () => {
    await (await started?.catch(() => undefined))?.stop();
    dataDir.remove();
  });
  return {
    label,
    ...(bin === undefined ? {} : { bin }),
    start() {
      started ??= startWithTemplate(dataDir.make(), bin);
      return started;
    },
  };
}

async function startWithTemplate(dataDir: string, bin: string | undefined): Promise<EmbeddedPostgres> {
  await furnishCluster(dataDir, bin);
  return await startEmbeddedPostgres({ dataDir, bin, log: silentLog });
}

/**
 * Prepares a cluster with the template. One is made once per release, user and schema; later clusters are
 * copies of it.
 */
async function furnishCluster(dataDir: string, bin: string | undefined): Promise<void> {
  const kept = clusterCache(bin);
  if (existsSync(kept)) return copyTree(kept, join(dataDir, "cluster"));
  const server = await startEmbeddedPostgres({ dataDir, bin, log: silentLog });
  await administer(server.connection, `create database ${TEMPLATE}`);
  await migrate({ connection: { ...server.connection, database: TEMPLATE } });
  await server.stop();
  const partial = `${kept}.${process.pid}`;
  copyTree(join(dataDir, "cluster"), partial);
  try {
    renameSync(partial, kept);
  } catch (error) {
    // The tests of another file were faster.
    rmSync(partial, { recursive: true });
    if (!existsSync(kept)) throw error;
  }
}

function clusterCache(bin: string | undefined): string {
  const directory = join(import.meta.dirname, "../../../node_modules/.cache/berth");
  mkdirSync(directory, { recursive: true });
  const release = bin === undefined ? "embedded" : bin.replaceAll(/\W+/g, "-");
  return join(directory, `cluster-${process.getuid?.()}-${release}-${schemaDigest()}`);
}

function schemaDigest(): string {
  const hash = createHash("sha256");
  for (const name of globSync("**/*.sql", { cwd: MIGRATIONS }).sort())
    hash.update(name).update(readFileSync(join(MIGRATIONS, name)));
  return hash.digest("hex").slice(0, 16);
}

function copyTree(from: string, to: string): void {
  const copied = spawnSync("cp", ["-a", from, to], { encoding: "utf8" });
  if (copied.status !== 0) throw new Error(copied.stderr);
}

async function administer(connection: SocketConnection, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(socketTarget({ ...connection, database: "postgres" }));
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function distributionBin(): string[] {
  const servers = globSync("/usr/lib/postgresql/*/bin/initdb").sort();
  return servers.slice(-1).map((initdb) => join(initdb, ".."));
}

function mkdtempLater(): { make(): string; remove(): void } {
  let path: string | undefined;
  return {
    make() {
      path ??= mkdtempSync(join(SERVERS_DIRECTORY, "berth-test-"));
      return path;
    },
    remove() {
      if (path !== undefined) rmSync(path, { recursive: true, force: true });
    },
  };
}
