import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { runOnce } from "@berth/concurrency";
import { withDirectoryLock } from "@berth/linux";
import type { Logger } from "pino";
import type { SocketConnection } from "../connection.ts";
import { type Answer, askServer } from "./ask-server.ts";
import { type Binaries, findBinaries } from "./binaries.ts";
import { CLUSTER_USER, ensureCluster } from "./cluster.ts";
import { findPostmaster, type Postmaster, spawnPostmaster, stopPostmaster } from "./postmaster.ts";
import { type RunDirectory, runDirectory } from "./run-directory.ts";
import { holdServer } from "./server-holders.ts";
import { serverUser } from "./server-user.ts";

export type EmbeddedPostgresOptions = {
  /** Berth's directory for its database; made when missing. Everything that has to be kept lies below it. */
  dataDir: string;
  /** A directory with `postgres` and `initdb` (`BERTH_PG_BIN`); the npm package's when absent. */
  bin?: string | undefined;
  log: Logger;
  /** Start the server outside this process group, so that a terminal's Ctrl-C does not reach it. Default false. */
  ownProcessGroup?: boolean;
};

export type EmbeddedPostgres = {
  connection: SocketConnection;
  pid: number;
  /** True when the server was running already, started by a process that lives or died. */
  adopted: boolean;
  /** Ends the use of the server, and the server with it unless another living process uses it. Safe to call twice. */
  stop(): Promise<void>;
  /** Settles when the server's process is gone, by `stop` or otherwise. */
  exited: Promise<void>;
};

const DATABASE = "berth";
const PORT = 5432;
const ASK_INTERVAL_MS = 10;
const PATIENCE_MS = 30_000;

/**
 * Makes the PostgreSQL server of a data directory run and answer: adopts the one that is running, else starts one,
 * after `initdb` on the first start.
 *
 * It listens on a Unix socket alone, in a directory that only its own user (and root) can enter; that directory is the
 * password, so the server trusts whoever connects. As root it runs as an unprivileged user. After a crash it recovers
 * what was acknowledged before it answers.
 *
 * @throws one sentence for the operator: no binaries, another major version, a server that does not come up.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = realpathSync(options.dataDir);
  return await withDirectoryLock(dataDir, async () => {
    const running = await adopt(join(dataDir, "cluster"));
    const { postmaster, runDir } = running
      ? { postmaster: running, runDir: undefined }
      : await startServer(dataDir, options);
    const holder = holdServer(join(dataDir, "holders"));
    postmaster.exited.then(() => holder.release());
    const stopped = runOnce(() =>
      withDirectoryLock(dataDir, async () => {
        if (holder.release().others > 0) return postmaster.letGo();
        await stopPostmaster(postmaster);
        (runDir ?? runDirectory(dataDir, serverUser())).remove();
      }),
    );
    return {
      connection: connectionTo(postmaster.socket),
      pid: postmaster.pid,
      adopted: running !== undefined,
      stop: stopped,
      exited: postmaster.exited,
    };
  });
}

/** A living server that answers, at once or when it has recovered; undefined when there is none or it just ended. */
async function adopt(cluster: string): Promise<Postmaster | undefined> {
  const postmaster = findPostmaster(cluster);
  if (postmaster === undefined) return undefined;
  const answers = await untilAnswering(postmaster);
  return answers ? postmaster : undefined;
}

async function startServer(
  dataDir: string,
  options: EmbeddedPostgresOptions,
): Promise<{ postmaster: Postmaster; runDir: RunDirectory }> {
  const user = serverUser();
  const runDir = runDirectory(dataDir, user);
  const binaries = findBinaries({ bin: options.bin, user, runDir: runDir.path });
  const cluster = await ensureCluster(dataDir, binaries);
  return { postmaster: await launch(cluster, binaries, runDir, options), runDir };
}

/**
 * A server that was killed leaves workers behind for an instant, and no new one starts before they are gone. A parent
 * that was killed may have left a server that was just about to write its pid file.
 */
async function launch(
  cluster: string,
  binaries: Binaries,
  runDir: RunDirectory,
  options: EmbeddedPostgresOptions,
): Promise<Postmaster> {
  const deadline = Date.now() + PATIENCE_MS;
  const ownProcessGroup = options.ownProcessGroup ?? false;
  for (;;) {
    const postmaster = spawnPostmaster({
      cluster,
      binaries,
      socket: runDir.socket,
      log: options.log,
      ownProcessGroup,
    });
    if (await untilAnswering(postmaster)) return postmaster;
    const why = postmaster.lastWords();
    const leftovers = /still in use|already exists|Address already in use/.test(why);
    if (!leftovers || Date.now() > deadline)
      throw new Error(`PostgreSQL did not start in ${cluster}: ${why}`);
    await pause(100);
    const other = await adopt(cluster);
    if (other !== undefined) return other;
  }
}

/** True when the server answers and has Berth's database; false when its process ended first. */
async function untilAnswering(postmaster: Postmaster): Promise<boolean> {
  const connection = connectionTo(postmaster.socket);
  const deadline = Date.now() + PATIENCE_MS;
  const ended = postmaster.exited.then((): Answer => "ended");
  for (;;) {
    const answer = await Promise.race([askServer(connection), ended]);
    if (answer === "ready") return true;
    if (answer === "ended") return false;
    if (answer === "silent" && Date.now() > deadline) {
      throw new Error(`PostgreSQL (pid ${postmaster.pid}) does not answer at ${postmaster.socket}.`);
    }
    await pause(ASK_INTERVAL_MS);
  }
}

function connectionTo(socket: string): SocketConnection {
  return { host: socket, port: PORT, user: CLUSTER_USER, database: DATABASE };
}
