import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import type { Binaries } from "./binaries.ts";
import { CLUSTER_BY_DESCRIPTOR } from "./cluster.ts";
import { isPostgresOf } from "./is-postgres-of.ts";

/** A server of a cluster: started by us, or found alive. `exited` settles when its process is gone. */
export type Postmaster = {
  pid: number;
  cluster: string;
  socket: string;
  exited: Promise<void>;
  /** Lets this process end while the server goes on for others. */
  letGo(): void;
  /** The last lines that a server of ours wrote, for an error that says why it did not start. */
  lastWords(): string;
};

const WATCH_INTERVAL_MS = 250;

/** Settings that Berth relies on. The log carries no statements and no row values: they may hold secrets. */
const SETTINGS = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  max_connections: "100",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  logging_collector: "off",
  log_destination: "stderr",
  log_line_prefix: "",
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
  log_statement: "none",
};

/**
 * The living server of a cluster, told by the pid file it keeps there. A pid file whose process is another program's
 * by now is taken away, because PostgreSQL would take that program for a server.
 */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const pidFile = join(cluster, "postmaster.pid");
  const { pid, socket } = readPidFile(pidFile) ?? {};
  if (pid === undefined || socket === undefined) return undefined;
  if (!isPostgresOf(pid, cluster)) {
    rmSync(pidFile, { force: true });
    return undefined;
  }
  return { pid, cluster, socket, exited: watch(pid, cluster), letGo() {}, lastWords: () => "" };
}

/** Starts `postgres` on a cluster. It answers a little later: ask with `untilAnswering`. */
export function spawnPostmaster(options: {
  cluster: string;
  binaries: Binaries;
  socket: string;
  log: Logger;
  ownProcessGroup: boolean;
}): Postmaster {
  const { cluster, binaries, socket, log } = options;
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: socket });
  const descriptor = openSync(cluster, "r");
  const child = spawn(
    join(binaries.bin, "postgres"),
    ["-D", CLUSTER_BY_DESCRIPTOR, ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    {
      ...binaries.spawn,
      detached: options.ownProcessGroup,
      stdio: ["ignore", "ignore", "pipe", descriptor],
    },
  );
  closeSync(descriptor);
  const words = logged(child, log);
  const exited = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      words.push(error.message);
      resolve();
    });
    child.once("close", () => resolve());
  });
  return {
    pid: child.pid ?? 0,
    cluster,
    socket,
    exited,
    letGo() {
      child.stderr?.destroy();
      child.unref();
    },
    lastWords: () => words.join("\n"),
  };
}

/**
 * Asks SIGINT (a fast shutdown: open transactions are rolled back), then SIGQUIT, then SIGKILL (for a frozen process),
 * `patienceMs` apart. However it ends, the next start recovers what was acknowledged.
 */
export async function stopPostmaster(postmaster: Postmaster, patienceMs = 10_000): Promise<void> {
  signal(postmaster, "SIGINT");
  const insisting = (["SIGQUIT", "SIGKILL"] as const).map((name, index) =>
    setTimeout(() => signal(postmaster, name), patienceMs * (index + 1)),
  );
  await postmaster.exited.finally(() => {
    for (const timer of insisting) clearTimeout(timer);
  });
}

/** Only ever to a server of this cluster: a pid is given out again when its process is gone. */
function signal({ pid, cluster }: Postmaster, name: NodeJS.Signals): void {
  if (isPostgresOf(pid, cluster)) process.kill(pid, name);
}

/** PostgreSQL's pid file: line 1 is the pid, line 5 the first socket directory. */
function readPidFile(path: string): { pid: number; socket: string } | undefined {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    const pid = Number(lines[0]);
    const socket = lines[4];
    return Number.isInteger(pid) && pid > 0 && socket ? { pid, socket } : undefined;
  } catch {
    return undefined;
  }
}

/** A process that is not our child gives no event when it ends. */
async function watch(pid: number, cluster: string): Promise<void> {
  while (isPostgresOf(pid, cluster)) await pause(WATCH_INTERVAL_MS, undefined, { ref: false });
}

function logged(child: ChildProcess, log: Logger): string[] {
  const words: string[] = [];
  if (child.stderr === null) return words;
  createInterface({ input: child.stderr }).on("line", (line) => {
    words.push(line);
    if (words.length > 20) words.shift();
    if (/^(PANIC|WARNING):/.test(line)) log.warn({ postgres: line }, "postgres");
    else log.debug({ postgres: line }, "postgres");
  });
  return words;
}
