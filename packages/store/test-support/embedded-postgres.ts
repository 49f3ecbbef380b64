import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { TestContext } from "node:test";
import type { SocketConnection } from "../src/db/connection.ts";
import { preparedCluster } from "../src/db/embedded/prepared-cluster.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../src/db/embedded/start-embedded-postgres.ts";
import { type Database, openDatabase } from "../src/db/pool.ts";
import { silentLog } from "./database.ts";

/**
 * A data directory for one test, with its servers. When the test ends, they are stopped and the directory is
 * removed.
 */
export type TemporaryInstance = {
  dataDir: string;
  start(): Promise<EmbeddedPostgres>;
  /** Stops the servers that `start` returned. */
  stopAll(): Promise<void>;
  /** Starts the server in another process, which stops it on SIGTERM. */
  startInChild(prefix?: readonly string[]): Child;
  /** Adds a function to call at the end of the test, before the directory is removed. */
  onEnd(stop: () => Promise<void>): void;
};

export type Child = {
  process: ChildProcess;
  /** The child's log, as JSON lines. */
  log: Readable;
  ready: Promise<{ pid: number; connection: SocketConnection }>;
  exited: Promise<void>;
};

/**
 * Creates an instance for a test.
 * @param below Path of the data directory below the test's own directory, which has the permission bits
 * `mode`.
 * @param isPrepared Whether it begins with a copy of the prepared cluster.
 */
export function temporaryInstance(
  t: TestContext,
  { below = "data", mode = 0o777, isPrepared = false } = {},
): TemporaryInstance {
  const root = mkdtempSync(join(tmpdir(), "berth-pg-"));
  const dataDir = join(root, below);
  mkdirSync(dataDir, { recursive: true });
  chmodSync(dataDir, 0o777);
  chmodSync(root, mode);
  const endings: Array<() => Promise<void>> = [];
  const stopAll = async () => void (await Promise.allSettled(endings.map((end) => end())));
  t.after(async () => {
    await stopAll();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    dataDir,
    stopAll,
    onEnd: (stop) => endings.push(stop),
    async start() {
      const prepared = isPrepared ? preparedCluster : undefined;
      const server = await startEmbeddedPostgres({ dataDir, prepared, log: silentLog });
      endings.push(server.stop);
      return server;
    },
    startInChild(prefix = []) {
      const child = startInChild(dataDir, prefix, isPrepared);
      endings.push(async () => {
        child.process.kill("SIGTERM");
        await child.exited;
      });
      return child;
    },
  };
}

export async function withDatabase<T>(
  connection: SocketConnection,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const db = openDatabase({ connection, log: silentLog });
  return await work(db).finally(() => db.close());
}

/** Returns the pids of a server and its workers, from /proc. */
export function serverProcesses(postmaster: number): number[] {
  const children = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === postmaster);
  return [postmaster, ...children];
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}

const CHILD_PROGRAM = `
  import { pino } from "pino";
  import { startEmbeddedPostgres } from ${JSON.stringify(import.meta.resolve("../src/db/embedded/start-embedded-postgres.ts"))};
  import { preparedCluster } from ${JSON.stringify(import.meta.resolve("../src/db/embedded/prepared-cluster.ts"))};
  const [, dataDir, isPrepared] = process.argv;
  const prepared = isPrepared === "true" ? preparedCluster : undefined;
  const server = await startEmbeddedPostgres({ dataDir, prepared, log: pino({ level: "debug" }, pino.destination(2)) });
  const serving = setInterval(() => undefined, 2 ** 30);
  process.on("SIGTERM", () => server.stop().then(() => clearInterval(serving)));
  console.log(JSON.stringify({ pid: server.pid, connection: server.connection }));
`;

function startInChild(dataDir: string, prefix: readonly string[], isPrepared: boolean): Child {
  const program = ["--input-type=module-typescript", "--eval", CHILD_PROGRAM];
  const node = [process.execPath, ...program, dataDir, `${isPrepared}`];
  const [command = "", ...args] = [...prefix, ...node];
  const child = spawn(command, args, { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const ready = new Promise<{ pid: number; connection: SocketConnection }>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line)));
    exited.then(() => reject(new Error("The child ended before its server was ready.")));
  });
  ready.catch(() => undefined);
  child.stderr.resume();
  return { process: child, log: child.stderr, ready, exited };
}
