import { execFile } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { syncDirectory } from "@berth/linux";
import type { Binaries } from "./binaries.ts";
import { CLUSTER_BY_DESCRIPTOR, CLUSTER_USER } from "./cluster-names.ts";
import { runOnCluster } from "./run-on-cluster.ts";

/**
 * Returns the cluster's directory below `dataDir`, created by `initdb` when it does not exist. An interrupted `initdb` never
 * gets the final name, so a directory with that name is complete and on disk.
 *
 * @throws when the cluster belongs to another major version of PostgreSQL, which cannot read it.
 */
export async function ensureCluster(
  dataDir: string,
  binaries: Binaries,
  signal?: AbortSignal,
): Promise<string> {
  const directory = join(dataDir, "cluster");
  if (!existsSync(directory)) await initialise(directory, binaries, signal);
  await giveTo(binaries.spawn.uid, directory);
  const major = Number(readFileSync(join(directory, "PG_VERSION"), "utf8"));
  if (major !== binaries.major) {
    throw new Error(
      `The database in ${directory} was written by PostgreSQL ${major}, and ${binaries.bin} is PostgreSQL ` +
        `${binaries.major}: set BERTH_PG_BIN to the bin directory of a PostgreSQL ${major}.`,
    );
  }
  return directory;
}

/**
 * Gives a cluster that another user's server wrote to the user of this one. The directory itself changes last, so a start that
 * was killed in between continues. Files of a third user are left alone.
 */
async function giveTo(uid: number | undefined, directory: string): Promise<void> {
  const { uid: former } = statSync(directory);
  if (uid === undefined || uid === former) return;
  const options = ["--recursive", "--no-dereference", `--from=${former}`];
  await promisify(execFile)("chown", [...options, `${uid}:${uid}`, "--", directory]);
}

const PLAIN = ["--locale=C", "--no-instructions"];
const PARTIAL = "cluster.partial-";

/**
 * Runs `initdb` in a fresh directory. Leftovers of interrupted starts are removed only afterwards: their `initdb` may still be
 * running, and PostgreSQL identifies shared memory by the directory's inode, which must not be reused.
 */
async function initialise(directory: string, binaries: Binaries, signal?: AbortSignal): Promise<void> {
  const dataDir = dirname(directory);
  const leftovers = readdirSync(dataDir).filter((name) => name.startsWith(PARTIAL));
  const partial = mkdtempSync(join(dataDir, PARTIAL));
  const { uid, gid } = binaries.spawn;
  if (uid !== undefined && gid !== undefined) chownSync(partial, uid, gid);
  await runOnCluster(binaries, {
    program: "initdb",
    // The server is given other rules for connections than those in the cluster, which accept none.
    args: ["-D", CLUSTER_BY_DESCRIPTOR, "-U", CLUSTER_USER, "-A", "reject", "-E", "UTF8", ...PLAIN],
    cluster: partial,
    signal,
  });
  renameSync(partial, directory);
  syncDirectory(dataDir);
  for (const name of leftovers) rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 10 });
}
