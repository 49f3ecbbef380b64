import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { runOnce } from "@berth/concurrency";
import { createDirectory, withDirectoryLock } from "@berth/linux";
import type { Logger } from "pino";
import type { SocketConnection } from "../connection.ts";
import { type Binaries, findBinaries } from "./binaries.ts";
import { ensureCluster, type PreparedCluster } from "./cluster.ts";
import { CLUSTER_DATABASE, CLUSTER_USER, passwordFile } from "./cluster-names.ts";
import {
  findPostmaster,
  type Postmaster,
  removePidFile,
  spawnPostmaster,
  stopPostmaster,
} from "./postmaster.ts";
import { type RunDirectory, runDirectory } from "./run-directory.ts";
import { holdServer } from "./server-holders.ts";
import { withServerLock } from "./server-lock.ts";
import { ensurePassword } from "./server-password.ts";
import { serverUser } from "./server-user.ts";
import { untilReady } from "./until-ready.ts";

export type EmbeddedPostgresOptions = {
  /** The directory of Berth's database, created when missing. All persistent state is below it. */
  dataDir: string;
  /** A directory with `postgres` and `initdb` (`BERTH_PG_BIN`). Default: the npm package's. */
  bin?: string | undefined;
  /**
   * Returns the cluster to copy at the first start with the npm package's PostgreSQL. Default: `initdb` makes
   * the cluster.
   */
  prepared?: (() => PreparedCluster | undefined) | undefined;
  log: Logger;
  /**
   * Starts the server in its own process group, so that a terminal's Ctrl-C does not reach it. Default:
   * false.
   */
  ownProcessGroup?: boolean;
  /**
   * Aborts the start: it rejects with the signal's reason, and no process remains. It has no effect on a
   * running server.
   */
  signal?: AbortSignal | undefined;
  /**
   * Called when other processes have begun to make the server's files or to start it, and this process is
   * idle for a while.
   */
  onLaunch?: (() => void) | undefined;
};

export type EmbeddedPostgres = {
  connection: SocketConnection;
  pid: number;
  /** Whether the server was already running. */
  adopted: boolean;
  /** Releases the server, and stops it unless another running process uses it. Safe to call twice. */
  stop(): Promise<void>;
  /** Resolves when the server's process is gone, by `stop` or otherwise. */
  exited: Promise<void>;
};

const PORT = 5432;
/** Milliseconds within which leftovers of a killed server must end; otherwise the start fails. */
const LEFTOVERS_TIMEOUT_MS = 30_000;
/**
 * Milliseconds before each stronger signal to a server whose start is aborted. It is short, because nobody
 * has used the server yet.
 */
const ABORT_GRACE_MS = 1_000;

/**
 * Runs the PostgreSQL server of a data directory. It adopts a running server or starts one, after `initdb` on
 * the first start. The server listens only on a Unix socket, in a directory that only its user and root can
 * enter, and requires a password. Started by root, it runs as a user of its own. After a crash it recovers
 * all acknowledged commits before it accepts connections.
 * @throws the signal's reason, or an error of one sentence for the operator: no binaries, another major
 * version, or a server that does not start.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  createDirectory(options.dataDir);
  const dataDir = realpathSync(options.dataDir);
  const { signal } = options;
  return await withDirectoryLock(dataDir, { signal }, async () => {
    const running = await adopt(dataDir, signal);
    const { postmaster, runDir } = running
      ? { postmaster: running, runDir: undefined }
      : await startServer(dataDir, options);
    const holder = holdServer(join(dataDir, "holders"));
    postmaster.exited.then(() => holder.release());
    const stopped = runOnce(() =>
      withDirectoryLock(dataDir, {}, async () => {
        if (holder.release().others > 0) return postmaster.detach();
        await stopPostmaster(postmaster);
        (runDir ?? runDirectory(dataDir, serverUser(dataDir))).remove();
      }),
    );
    return {
      connection: connectionTo(dataDir, postmaster),
      pid: postmaster.pid,
      adopted: running !== undefined,
      stop: stopped,
      exited: postmaster.exited,
    };
  });
}

/**
 * Returns a running server once it accepts connections, or undefined when there is none or it just exited.
 */
async function adopt(dataDir: string, signal?: AbortSignal): Promise<Postmaster | undefined> {
  const postmaster = findPostmaster(join(dataDir, "cluster"));
  if (postmaster === undefined) return undefined;
  return (await untilReady(connectionTo(dataDir, postmaster), postmaster, signal)) ? postmaster : undefined;
}

type Started = { postmaster: Postmaster; runDir: RunDirectory | undefined };

async function startServer(dataDir: string, options: EmbeddedPostgresOptions): Promise<Started> {
  const found = async () => {
    const postmaster = await adopt(dataDir, options.signal);
    return postmaster && { postmaster, runDir: undefined };
  };
  return await withServerLock<Started>(dataDir, found, async (lock) => {
    removePidFile(join(dataDir, "cluster"));
    return await startLocked(dataDir, options, lock);
  });
}

async function startLocked(
  dataDir: string,
  options: EmbeddedPostgresOptions,
  lock: number,
): Promise<Started> {
  const user = serverUser(dataDir);
  const runDir = runDirectory(dataDir, user);
  const binaries = findBinaries({ bin: options.bin, user, runDir: runDir.path });
  const { log, signal } = options;
  log.debug({ step: "cluster" }, "creating the database's files, if missing");
  if (!existsSync(join(dataDir, "cluster"))) options.onLaunch?.();
  const prepared = options.bin === undefined ? options.prepared : undefined;
  const cluster = await ensureCluster(dataDir, binaries, { prepared, signal });
  log.debug({ step: "password" }, "giving the database's role a password, if missing");
  await ensurePassword(dataDir, cluster, binaries, { lock, signal });
  log.debug({ step: "server" }, "starting the database's server");
  return { postmaster: await launch(dataDir, binaries, runDir, { ...options, lock }), runDir };
}

/**
 * Starts a server, and repeats that while workers of a killed server prevent it. If a killed process has left
 * a server that was still starting, that server is adopted.
 */
async function launch(
  dataDir: string,
  binaries: Binaries,
  runDir: RunDirectory,
  options: EmbeddedPostgresOptions & { lock: number },
): Promise<Postmaster> {
  const cluster = join(dataDir, "cluster");
  const deadline = Date.now() + LEFTOVERS_TIMEOUT_MS;
  const ownProcessGroup = options.ownProcessGroup ?? false;
  for (;;) {
    const postmaster = spawnPostmaster({
      cluster,
      binaries,
      socket: runDir.socket,
      rules: runDir.rules,
      log: options.log,
      ownProcessGroup,
      lock: options.lock,
    });
    options.onLaunch?.();
    const ready = await untilReady(connectionTo(dataDir, postmaster), postmaster, options.signal).catch(
      async (error) => {
        await stopPostmaster(postmaster, ABORT_GRACE_MS);
        throw error;
      },
    );
    if (ready) return postmaster;
    const why = postmaster.lastLogLines();
    const leftovers = /still in use|already exists|Address already in use/.test(why);
    if (!leftovers || Date.now() > deadline)
      throw new Error(`PostgreSQL did not start in ${cluster}: ${why}`);
    await pause(100);
    const other = await adopt(dataDir, options.signal);
    if (other !== undefined) return other;
  }
}

function connectionTo(dataDir: string, { socket }: Postmaster): SocketConnection {
  return {
    host: socket,
    port: PORT,
    user: CLUSTER_USER,
    database: CLUSTER_DATABASE,
    passwordFile: passwordFile(dataDir),
  };
}
