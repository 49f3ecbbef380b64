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
import { canReach, type ServerUser } from "./server-user.ts";

/** A Unix socket's path holds 107 bytes; PostgreSQL adds "/.s.PGSQL.5432.lock" to its directory. */
const SOCKET_PATH_LIMIT = 107;
const LONGEST_SOCKET_NAME = "/.s.PGSQL.5432.lock";

/** Paths that go unquoted through PostgreSQL's list of socket directories. */
const PLAIN_PATH = /^[\w./-]+$/;

/**
 * The place of what a running server needs and a data directory need not keep: its socket, and binaries or links that
 * its user can reach. This is the data directory itself where that works; where its path is too long for a socket, or
 * hidden from the server's user (root's home is), a fresh directory under /tmp, remembered in the data directory.
 */
export type RunDirectory = { path: string; socket: string; remove(): void };

export function runDirectory(dataDir: string, user: ServerUser | undefined): RunDirectory {
  if (fitsSocket(dataDir) && canReach(user, dataDir))
    return { ...furnish(dataDir, user), remove: () => undefined };
  const record = join(dataDir, "run-directory");
  const path = remembered(record) ?? mkdtempSync("/tmp/berth-");
  if (user !== undefined) chmodSync(path, 0o711);
  writeFileSync(record, path, { mode: 0o600 });
  return {
    ...furnish(path, user),
    remove() {
      rmSync(path, { recursive: true, force: true });
      rmSync(record, { force: true });
    },
  };
}

/** The socket's directory is secret to the server's user (and root): that is what stands in for passwords. */
function furnish(path: string, user: ServerUser | undefined): { path: string; socket: string } {
  const socket = join(path, "socket");
  mkdirSync(socket, { recursive: true, mode: 0o700 });
  chmodSync(socket, 0o700);
  if (user !== undefined) chownSync(socket, user.uid, user.gid);
  return { path, socket };
}

function fitsSocket(directory: string): boolean {
  const longest = `${join(directory, "socket")}${LONGEST_SOCKET_NAME}`;
  return PLAIN_PATH.test(directory) && Buffer.byteLength(longest) <= SOCKET_PATH_LIMIT;
}

/** A directory of an earlier start, taken only when it is still this user's own and nobody else can write in it. */
function remembered(record: string): string | undefined {
  try {
    const path = readFileSync(record, "utf8");
    const stat = lstatSync(path);
    const ours = stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
    return ours && fitsSocket(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
