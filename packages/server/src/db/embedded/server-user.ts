import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The host account that PostgreSQL runs under. */
export type ServerUser = { uid: number; gid: number };

/**
 * The account that `initdb` and `postgres` must run under, or undefined when they can run as this process.
 *
 * PostgreSQL refuses to run as root, and `initdb` needs an account that stands in the passwd file. As root we take
 * `berth` where an operator made it, else `nobody`, which every Linux system has.
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

/** Whether `user` can read and enter (or run) `path`; true without a user. Asked of the kernel, so ACLs count. */
export function canReach(user: ServerUser | undefined, path: string): boolean {
  if (user === undefined) return true;
  const asked = spawnSync("/bin/sh", ["-c", 'test -r "$1" && test -x "$1"', "sh", path], {
    ...user,
    cwd: "/",
    env: {},
    stdio: "ignore",
  });
  return asked.status === 0;
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
