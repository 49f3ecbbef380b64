import { execFile } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { readRegularFile, replaceFile, syncDirectory } from "@berth/linux";
import type { Binaries } from "./binaries.ts";
import { unpackCluster } from "./cluster-archive.ts";
import { renewIdentity } from "./cluster-identity.ts";
import { CLUSTER_BY_DESCRIPTOR, CLUSTER_DATABASE, CLUSTER_USER, passwordFile } from "./cluster-names.ts";
import { runOnCluster, runStatements } from "./run-on-cluster.ts";
import { newPassword } from "./server-password.ts";

/** A cluster with the database and its tables, made in advance by the npm package's PostgreSQL. */
export interface PreparedCluster {
  /** Path of the archive that `packCluster` made. */
  archive: string;
  /** Statements, of one line each, that make a copy's database distinct from the packed one. */
  renewal: readonly string[];
}

interface Making {
  prepared?: (() => PreparedCluster | undefined) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Returns the cluster's directory below `dataDir`. If it does not exist, it is made, as a copy of the
 * prepared one or by `initdb`. An interrupted start never gives it the final name, so a directory with that
 * name is complete and on disk.
 * @throws when the cluster belongs to another major version of PostgreSQL, which cannot read it.
 */
export async function ensureCluster(dataDir: string, binaries: Binaries, making: Making): Promise<string> {
  const directory = join(dataDir, "cluster");
  if (!existsSync(directory)) await initialise(directory, binaries, making);
  await giveTo(binaries.spawn.uid, directory);
  const major = Number(readRegularFile(join(directory, "PG_VERSION"), { followsLinks: false }));
  if (major !== binaries.major) {
    throw new Error(
      `The database in ${directory} was written by PostgreSQL ${major}, and ${binaries.bin} is PostgreSQL ` +
        `${binaries.major}: set BERTH_PG_BIN to the bin directory of a PostgreSQL ${major}.`,
    );
  }
  return directory;
}

/**
 * Gives a cluster that another user's server wrote to the user of this one. The directory itself changes
 * last, so that a later start continues an interrupted one. Files of a third user are left alone.
 */
async function giveTo(uid: number | undefined, directory: string): Promise<void> {
  const { uid: former } = statSync(directory);
  if (uid === undefined || uid === former) return;
  const options = ["--recursive", "--no-dereference", `--from=${former}`];
  await promisify(execFile)("chown", [...options, `${uid}:${uid}`, "--", directory]);
}

/** Options without syncs. The whole directory is synced before it becomes the cluster's. */
const PLAIN = ["--locale=C", "--no-instructions", "--no-sync"];
const UNSYNCED = ["fsync=off"];
const PARTIAL = "cluster.partial-";

/**
 * Makes a cluster in a fresh directory. Leftovers of interrupted starts are removed only afterwards. Their
 * `initdb` may still be running, and PostgreSQL identifies shared memory by the directory's inode, which must
 * not be reused.
 */
async function initialise(directory: string, binaries: Binaries, making: Making): Promise<void> {
  const { signal } = making;
  const dataDir = dirname(directory);
  const leftovers = readdirSync(dataDir).filter((name) => name.startsWith(PARTIAL));
  const partial = mkdtempSync(join(dataDir, PARTIAL));
  const { uid, gid } = binaries.spawn;
  if (uid !== undefined && gid !== undefined) chownSync(partial, uid, gid);
  rmSync(passwordFile(dataDir), { force: true });
  const prepared = making.prepared?.();
  const password =
    prepared === undefined ? undefined : await copyPrepared(prepared, partial, binaries, signal);
  if (password === undefined) await runInitdb(partial, binaries, signal);
  await syncFileSystem(partial, signal);
  if (password !== undefined) replaceFile(passwordFile(dataDir), password);
  renameSync(partial, directory);
  syncDirectory(dataDir);
  for (const name of leftovers) rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 10 });
}

async function runInitdb(partial: string, binaries: Binaries, signal?: AbortSignal): Promise<void> {
  await runOnCluster(binaries, {
    program: "initdb",
    // The cluster's own rules accept no connections; the server gets its rules separately.
    args: ["-D", CLUSTER_BY_DESCRIPTOR, "-U", CLUSTER_USER, "-A", "reject", "-E", "UTF8", ...PLAIN],
    cluster: partial,
    signal,
  });
}

/** Returns the password of the copy's role. */
async function copyPrepared(
  { archive, renewal }: PreparedCluster,
  partial: string,
  binaries: Binaries,
  signal?: AbortSignal,
): Promise<string> {
  const { uid, gid } = binaries.spawn;
  const owner = uid === undefined || gid === undefined ? undefined : { uid, gid };
  unpackCluster(archive, partial, owner);
  renewIdentity(partial);
  const { password, statement } = newPassword();
  const statements = [statement, ...renewal];
  const database = CLUSTER_DATABASE;
  await runStatements(binaries, { database, statements, settings: UNSYNCED, cluster: partial, signal });
  return password;
}

/** Syncs the filesystem of a directory, in one call because a cluster has more than a thousand files. */
async function syncFileSystem(directory: string, signal?: AbortSignal): Promise<void> {
  await promisify(execFile)("sync", ["-f", directory], { signal }).catch((error) => {
    signal?.throwIfAborted();
    throw error;
  });
}
