import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The host account that PostgreSQL runs as. */
export type ServerUser = { uid: number; gid: number };

/**
 * The account that `initdb` and `postgres` must run as, or undefined when they can run as this process's user.
 *
 * PostgreSQL does not run as root, and `initdb` needs an account that is in the passwd file. For root it is `berth` where an
 * operator created that user, and otherwise `nobody`, which every Linux system has.
 */
export function serverUser(passwd = readFileSync("/etc/passwd", "utf8")): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = findUser(passwd, "berth") ?? findUser(passwd, "nobody");
  if (user === undefined) {
    throw new Error(
      "PostgreSQL does not run as root, and /etc/passwd has neither a user 'berth' nor 'nobody' to run it as.",
    );
  }
  return user;
}

/** Whether `user` can read and enter (or execute) `path`; true without a user. The kernel decides, so ACLs count. */
export function canReach(user: ServerUser | undefined, path: string): boolean {
  if (user === undefined) return true;
  const result = spawnSync("/bin/sh", ["-c", 'test -r "$1" && test -x "$1"', "sh", path], {
    ...user,
    cwd: "/",
    env: {},
    stdio: "ignore",
  });
  return result.status === 0;
}

function findUser(passwd: string, name: string): ServerUser | undefined {
  const fields = passwd
    .split("\n")
    .find((line) => line.startsWith(`${name}:`))
    ?.split(":");
  const uid = Number(fields?.[2]);
  const gid = Number(fields?.[3]);
  return Number.isInteger(uid) && Number.isInteger(gid) && uid > 0 ? { uid, gid } : undefined;
}
