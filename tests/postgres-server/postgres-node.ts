import { execFile, spawn } from "node:child_process";
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../acceptance/harness/free-port.ts";
import { descendantsOf, signalIfAlive } from "../crash/processes.ts";
import { asServer, ownedDirectory, USER } from "./postgres-server.ts";
import { stopper } from "./stopper.ts";

const run = promisify(execFile);

/**
 * The programs of the distribution's newest PostgreSQL. The embedded one lacks some, such as pg_basebackup.
 */
export const POSTGRES_PROGRAMS = join(
  globSync("/usr/lib/postgresql/*/bin/pg_basebackup").sort().at(-1) ?? "/usr/lib/postgresql/none/bin/x",
  "..",
);

/** A PostgreSQL server of a pair, primary or standby. It listens on loopback and trusts all connections. */
export class PostgresNode {
  readonly directory: string;
  readonly port: number;
  readonly #settings: Record<string, string | number>;
  #process: { pid: number; stop(): Promise<void> } | null = null;

  private constructor(directory: string, port: number, settings: Record<string, string | number>) {
    this.directory = directory;
    this.port = port;
    this.#settings = settings;
  }

  /** Allocates a directory and a port. @param settings of the server, by name. */
  static async create(settings: Record<string, string | number>): Promise<PostgresNode> {
    return new PostgresNode(ownedDirectory("berth-postgres-"), await freePort(), settings);
  }

  get data(): string {
    return join(this.directory, "data");
  }

  /** Initializes an empty cluster. */
  async initialize(): Promise<void> {
    const words = ["--pgdata", this.data, "--username", USER, "--auth", "trust", "--no-sync"];
    await this.run("initdb", ...words, "--encoding", "UTF8", "--locale", "C");
  }

  /** Copies a running primary as a standby that follows it under this application name. */
  async follow(primary: PostgresNode, name: string): Promise<void> {
    const source = `host=127.0.0.1 port=${primary.port} user=${USER} application_name=${name}`;
    const words = ["--pgdata", this.data, "--dbname", source, "--write-recovery-conf", "--no-sync"];
    await this.run("pg_basebackup", ...words, "--checkpoint", "fast");
  }

  /** Resolves when the server accepts connections; a standby accepts read-only ones. */
  async start(): Promise<void> {
    const settings = {
      listen_addresses: "127.0.0.1",
      port: this.port,
      unix_socket_directories: this.directory,
      ...this.#settings,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(...asServer(join(POSTGRES_PROGRAMS, "postgres"), ["-D", this.data, ...flags]), {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const stop = stopper(child, "SIGINT");
    this.#process = { pid: child.pid ?? 0, stop };
    let log = "";
    for await (const text of child.stderr.setEncoding("utf8")) {
      log += text;
      if (/ready to accept (read-only )?connections/.test(log)) {
        child.stderr.resume();
        return;
      }
    }
    throw new Error(`PostgreSQL ended:\n${log}`);
  }

  /** Shuts the server down; running statements are aborted. */
  async stop(): Promise<void> {
    await this.#process?.stop();
    this.#process = null;
  }

  /** Kills all its processes at once, as if its machine were lost. */
  async kill(): Promise<void> {
    if (this.#process === null) return;
    const { pid, stop } = this.#process;
    for (const one of [pid, ...descendantsOf(pid)]) signalIfAlive(one, "SIGKILL");
    await stop();
    this.#process = null;
  }

  /** Makes a standby accept writes. */
  async promote(): Promise<void> {
    await this.run("pg_ctl", "promote", "--pgdata", this.data);
  }

  /** Runs a statement and returns its unaligned output. */
  async ask(sql: string, database = "postgres"): Promise<string> {
    const words = ["--no-psqlrc", "--tuples-only", "--no-align", "--command", sql];
    return (await this.run("psql", ...words, this.url(database))).trim();
  }

  url(database: string): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs a program of PostgreSQL as the server's user. */
  async run(program: string, ...words: string[]): Promise<string> {
    const [command, args] = asServer(join(POSTGRES_PROGRAMS, program), words);
    return (await run(command, args, { cwd: this.directory })).stdout;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
