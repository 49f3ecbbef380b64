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

/** A Unix socket's path holds 107 bytes; PostgreSQL adds "/.s.PGSQL.5432.lock" to its directory. */
const SOCKET_PATH_LIMIT = 107;
const LONGEST_SOCKET_NAME = "/.s.PGSQL.5432.lock";

/** Paths that need no quoting in PostgreSQL's list of socket directories. */
const PLAIN_PATH = /^[\w./-]+$/;

/**
 * Holds what only a running server needs: its socket, its rules for connections, and binaries or links that its user can reach. It is the data directory
 * itself where possible. Where that path is too long for a socket or not accessible to the server's user (as root's home
 * directory), it is a fresh directory below /tmp whose path is recorded in the data directory.
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

/** The one role may connect by the socket, with its password. */
const RULES = `local all ${CLUSTER_USER} scram-sha-256\n`;

/** Only the server's user and root can enter the socket's directory, and the server cannot change its rules. */
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

/** The directory of an earlier start, reused only when this user still owns it and no one else can write to it. */
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
