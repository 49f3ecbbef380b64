import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceFile } from "@berth/linux";
import { passwordFile } from "./cluster-names.ts";

/** The user id that PostgreSQL runs with. `isOwn` means that no account and no other installation has it. */
export type ServerUser = { uid: number; gid: number; isOwn: boolean };

/**
 * Returns the user that `initdb` and `postgres` must run as, or undefined when this process's user will do.
 * PostgreSQL does not run as root. For root, it is an id of this data directory alone, which no account has.
 * The programs that make the cluster and its password need an account for that id, which a mount namespace
 * shows them. In a container that may not create such a namespace, it is `nobody`, which every Linux system
 * has.
 */
export function serverUser(dataDir: string): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const needsAccount = !existsSync(passwordFile(dataDir));
  return (needsAccount ? undefined : keptUser(dataDir)) ?? (mayMount() ? ownUser(dataDir) : nobody());
}

/**
 * Returns whether `user` can read and enter (or execute) `path`; true without a user. Where the permission
 * bits do not decide, it asks the kernel, so that groups and ACLs count.
 */
export function canReach(user: ServerUser | undefined, path: string): boolean {
  return user === undefined || (reachByBits(user, path) ?? reachByTrial(user, path));
}

/**
 * Decides by permission bits, or returns null where these do not suffice. An account may be in groups, group
 * bits may be those of an ACL, and a link leads through other directories.
 */
function reachByBits({ uid, isOwn }: ServerUser, path: string): boolean | null {
  if (!isOwn || !existsSync(path) || realpathSync(path) !== path) return null;
  for (let at = path, needed = 0o5; ; at = dirname(at), needed = 0o1) {
    const { mode, uid: owner } = statSync(at);
    if (owner === uid) return null;
    if ((mode & needed) !== needed) return (mode & 0o070) === 0 ? false : null;
    if (at === "/") return true;
  }
}

function reachByTrial(user: ServerUser, path: string): boolean {
  const result = spawnSync("/bin/sh", ["-c", 'test -r "$1" && test -x "$1"', "sh", path], {
    uid: user.uid,
    gid: user.gid,
    cwd: "/",
    env: {},
    stdio: "ignore",
  });
  return result.status === 0;
}

/**
 * Ids that no distribution, container manager or sandbox of Berth uses, and a range for containers that map
 * few ids.
 */
const RANGES = [
  { first: 0x7000_0000, count: 0x0fff_0000 },
  { first: 20_000, count: 20_000 },
];

/**
 * Returns the data directory's own id, which is stored there with the directory's inode. A copy of the
 * directory, such as a backup restored beside the original, thus gets another id.
 */
function ownUser(dataDir: string): ServerUser {
  const kept = keptUser(dataDir);
  if (kept !== undefined) return kept;
  const isTaken = takenIds();
  const mapped = ranges("/proc/self/uid_map", 0, 2);
  const range = RANGES.find(({ first, count }) =>
    mapped.some((map) => map.first <= first && first + count <= map.first + map.count),
  );
  if (range === undefined) return nobody();
  let uid: number;
  do uid = range.first + randomInt(range.count);
  while (isTaken(uid));
  replaceFile(fileOf(dataDir), `${uid} ${statSync(dataDir).ino}\n`);
  return userOf(uid);
}

function keptUser(dataDir: string): ServerUser | undefined {
  const [kept, of] = readOrEmpty(fileOf(dataDir)).trim().split(" ");
  const isUsable = kept && of === `${statSync(dataDir).ino}` && !takenIds()(Number(kept));
  return isUsable ? userOf(Number(kept)) : undefined;
}

function fileOf(dataDir: string): string {
  return join(dataDir, "user");
}

/** Returns a function that tells whether an account has an id, or may give it to a process. */
function takenIds(): (uid: number) => boolean {
  const taken = [...ranges("/etc/passwd", 2), ...ranges("/etc/subuid", 1, 2)];
  return (uid) => taken.some(({ first, count }) => uid >= first && uid < first + count);
}

function userOf(uid: number): ServerUser {
  return { uid, gid: uid, isOwn: true };
}

function nobody(): ServerUser {
  const fields = readFileSync("/etc/passwd", "utf8").match(/^nobody:[^:]*:(\d+):(\d+):/m);
  if (fields === null)
    throw new Error("PostgreSQL does not run as root, and /etc/passwd has no user 'nobody' to run it as.");
  return { uid: Number(fields[1]), gid: Number(fields[2]), isOwn: false };
}

let mountAllowed: boolean | undefined;

/**
 * Returns whether mount namespaces can be created. The result is cached, since it does not change while this
 * process lives.
 */
function mayMount(): boolean {
  mountAllowed ??= spawnSync("unshare", ["--mount", "true"], { stdio: "ignore" }).status === 0;
  return mountAllowed;
}

/** Parses the ranges of ids in a table. A row without a count is one id. */
function ranges(file: string, firstColumn: number, countColumn?: number): { first: number; count: number }[] {
  return readOrEmpty(file)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.trim().split(/:|\s+/))
    .map((row) => ({
      first: Number(row[firstColumn]),
      count: countColumn === undefined ? 1 : Number(row[countColumn]),
    }));
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return "";
  }
}
