import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CLUSTER_USER } from "./cluster-names.ts";
import { canReach, type ServerUser } from "./server-user.ts";

/**
 * The maximum number of bytes in a Unix socket's path. PostgreSQL adds "/.s.PGSQL.5432.lock" to the
 * directory.
 */
const SOCKET_PATH_LIMIT = 107;
const LONGEST_SOCKET_NAME = "/.s.PGSQL.5432.lock";

/** Paths that need no quoting in PostgreSQL's list of socket directories. */
const PLAIN_PATH = /^[\w./-]+$/;

/**
 * The directory for what only a running server needs: its socket, its rules for connections, and binaries or
 * links that its user can reach. It is the data directory itself where possible. That path may be too long
 * for a socket or inaccessible to the server's user, as in root's home directory. Then it is a fresh
 * directory below /tmp, whose path is recorded in the data directory.
 */
export type RunDirectory = { path: string; socket: string; rules: string; remove(): void };

export function runDirectory(dataDir: string, user: ServerUser | undefined): RunDirectory {
  if (fitsSocket(dataDir) && canReach(user, dataDir))
    return { ...makeSocketDirectory(dataDir, user), remove: () => undefined };
  const record = join(dataDir, "run-directory");
  const path = recordedPath(record) ?? mkdtempSync("/tmp/berth-");
  if (user !== undefined) chmodSync(path, 0o711);
  writeFileSync(record, path, { mode: 0o600 });
  return {
    ...makeSocketDirectory(path, user),
    remove() {
      rmSync(path, { recursive: true, force: true });
      rmSync(record, { force: true });
    },
  };
}

/** Rules for connections: the only role may connect by the socket, with its password. */
const RULES = `local all ${CLUSTER_USER} scram-sha-256\n`;

/**
 * Creates the socket's directory, which only the server's user and root can enter, and the rules, which the
 * server cannot change.
 */
function makeSocketDirectory(path: string, user: ServerUser | undefined): Omit<RunDirectory, "remove"> {
  const socket = join(path, "socket");
  mkdirSync(socket, { recursive: true, mode: 0o700 });
  chmodSync(socket, 0o700);
  if (user !== undefined) chownSync(socket, user.uid, user.gid);
  const rules = join(path, "pg_hba.conf");
  writeFileSync(rules, RULES);
  chmodSync(rules, 0o644);
  return { path, socket, rules };
}

function fitsSocket(directory: string): boolean {
  const longest = `${join(directory, "socket")}${LONGEST_SOCKET_NAME}`;
  return PLAIN_PATH.test(directory) && Buffer.byteLength(longest) <= SOCKET_PATH_LIMIT;
}

/**
 * Returns the directory of an earlier start if this user still owns it and no one else can write to it;
 * otherwise undefined.
 */
function recordedPath(record: string): string | undefined {
  try {
    const path = readFileSync(record, "utf8");
    const stat = lstatSync(path);
    const ours = stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
    return ours && fitsSocket(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
