import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { processStart, readRegularFile } from "@berth/linux";
import type { Logger } from "pino";
import type { Binaries } from "./binaries.ts";
import { CLUSTER_BY_DESCRIPTOR } from "./cluster-names.ts";
import { endLeftoversOf } from "./leftover-processes.ts";

/**
 * The server process of a cluster, started by this process or found running. `exited` resolves when it is
 * gone.
 */
export type Postmaster = {
  pid: number;
  cluster: string;
  socket: string;
  exited: Promise<void>;
  /** Lets this process exit while the server keeps running for others. */
  detach(): void;
  /**
   * Returns the last log lines of a server that this process started, for the error when it does not start.
   */
  lastLogLines(): string;
};

const WATCH_INTERVAL_MS = 250;
const MAX_LOG_LINES = 20;
/** Milliseconds to wait for the last log lines of a server that has exited. */
const LAST_LINES_MS = 500;

/**
 * Settings that Berth relies on. Statements and row values are not logged, since they may contain secrets.
 */
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
 * Finds the running server of a cluster by its pid file. Returns undefined when the file names no visible
 * process that is such a server.
 */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const { pid, socket } = readPidFile(pidFileOf(cluster)) ?? {};
  if (pid === undefined || socket === undefined || !isServerOf(pid, cluster)) return undefined;
  return { pid, cluster, socket, exited: watch(pid, cluster), detach() {}, lastLogLines: () => "" };
}

/**
 * Removes the pid file that a killed server left. If another program has that pid, PostgreSQL would mistake
 * it for a server. Call it only under the server's lock, since a server in another pid namespace is not
 * visible.
 */
export function removePidFile(cluster: string): void {
  rmSync(pidFileOf(cluster), { force: true });
}

function pidFileOf(cluster: string): string {
  return join(cluster, "postmaster.pid");
}

/** Starts `postgres` on a cluster. It accepts connections a little later. */
export function spawnPostmaster(options: {
  cluster: string;
  binaries: Binaries;
  socket: string;
  /** Path of the rules for connections (pg_hba.conf). */
  rules: string;
  log: Logger;
  ownProcessGroup: boolean;
  /**
   * The descriptor of the server's lock. The server inherits it, and holds the lock as long as one of its
   * processes lives.
   */
  lock: number;
}): Postmaster {
  const { cluster, binaries, socket, rules, log, lock } = options;
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: socket, hba_file: rules });
  const descriptor = openSync(cluster, "r");
  const child = spawn(
    join(binaries.bin, "postgres"),
    ["-D", CLUSTER_BY_DESCRIPTOR, ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    {
      ...binaries.spawn,
      detached: options.ownProcessGroup,
      stdio: ["ignore", "ignore", "pipe", descriptor, lock],
    },
  );
  closeSync(descriptor);
  const lines = collectLog(child, log);
  const exited = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      lines.push(error.message);
      resolve();
    });
    child.once("close", () => resolve());
    // Other server processes hold the log pipe too, and one of them may outlive the postmaster.
    child.once("exit", () => setTimeout(() => child.stderr?.destroy(), LAST_LINES_MS).unref());
  });
  return {
    pid: child.pid ?? 0,
    cluster,
    socket,
    exited,
    detach() {
      child.stderr?.destroy();
      child.unref();
    },
    lastLogLines: () => lines.join("\n"),
  };
}

/**
 * Stops the server with SIGINT (a fast shutdown that rolls back open transactions), then SIGQUIT, then
 * SIGKILL (for a frozen process), `graceMs` apart. It also kills processes that the server left. In every
 * case the next start recovers all acknowledged commits.
 */
export async function stopPostmaster(postmaster: Postmaster, graceMs = 10_000): Promise<void> {
  signal(postmaster, "SIGINT");
  const escalation = (["SIGQUIT", "SIGKILL"] as const).map((name, index) =>
    setTimeout(() => signal(postmaster, name), graceMs * (index + 1)),
  );
  await postmaster.exited.finally(() => {
    for (const timer of escalation) clearTimeout(timer);
  });
  await endLeftoversOf(postmaster.cluster);
}

/** Sends a signal if the pid is still a server of this cluster, since pids are reused. */
function signal({ pid, cluster }: Postmaster, name: NodeJS.Signals): void {
  if (isServerOf(pid, cluster)) process.kill(pid, name);
}

/**
 * Returns whether `pid` is a running PostgreSQL server of this cluster, whose directory is the server's
 * working directory.
 */
function isServerOf(pid: number, cluster: string): boolean {
  if (processStart(pid) === undefined) return false;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch {
    return commandOf(pid) === "postgres";
  }
}

function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return undefined;
  }
}

/**
 * Reads PostgreSQL's pid file: line 1 is the pid, line 5 the first socket directory. Returns undefined when
 * it is missing or malformed.
 */
function readPidFile(path: string): { pid: number; socket: string } | undefined {
  try {
    const lines = readRegularFile(path, { followsLinks: false }).split("\n");
    const pid = Number(lines[0]);
    const socket = lines[4];
    return Number.isInteger(pid) && pid > 0 && socket ? { pid, socket } : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves when the server has exited. It polls, because a process that is not a child emits no event. */
async function watch(pid: number, cluster: string): Promise<void> {
  while (isServerOf(pid, cluster)) await pause(WATCH_INTERVAL_MS, undefined, { ref: false });
}

/** Logs the server's output, and returns an array that always holds its last lines. */
function collectLog(child: ChildProcess, log: Logger): string[] {
  const lines: string[] = [];
  if (child.stderr === null) return lines;
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    if (lines.length > MAX_LOG_LINES) lines.shift();
    if (/^(PANIC|WARNING):/.test(line)) log.warn({ postgres: line }, "postgres");
    else log.debug({ postgres: line }, "postgres");
  });
  return lines;
}
