import { spawn } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Binaries } from "./binaries.ts";

/** The superuser, and the only role, of an embedded cluster: no other user can reach its socket. */
export const CLUSTER_USER = "berth";

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
  const major = Number(readFileSync(join(directory, "PG_VERSION"), "utf8"));
  if (major !== binaries.major) {
    throw new Error(
      `The database in ${directory} was written by PostgreSQL ${major}, and ${binaries.bin} is PostgreSQL ` +
        `${binaries.major}: set BERTH_PG_BIN to the bin directory of a PostgreSQL ${major}.`,
    );
  }
  return directory;
}

const PARTIAL = "cluster.partial-";

/**
 * The path by which a server opens its cluster through an inherited descriptor. Its user may not be able to traverse to the
 * data directory (below a private home directory); it needs access only to the directory itself.
 */
export const CLUSTER_DESCRIPTOR = 3;
export const CLUSTER_BY_DESCRIPTOR = `/proc/self/fd/${CLUSTER_DESCRIPTOR}`;

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
  await initdb(partial, binaries, signal);
  renameSync(partial, directory);
  syncDirectory(dataDir);
  for (const name of leftovers) rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 10 });
}

async function initdb(directory: string, binaries: Binaries, signal?: AbortSignal): Promise<void> {
  const descriptor = openSync(directory, "r");
  const child = spawn(
    join(binaries.bin, "initdb"),
    [
      "-D",
      CLUSTER_BY_DESCRIPTOR,
      "-U",
      CLUSTER_USER,
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
      "--no-instructions",
    ],
    { ...binaries.spawn, signal, stdio: ["ignore", "pipe", "pipe", descriptor] },
  );
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const ended = Promise.withResolvers<number | string | null>();
  let failure: Error | undefined;
  child.on("error", (error) => (failure = error)).on("close", (code, name) => ended.resolve(code ?? name));
  const code = await ended.promise.finally(() => closeSync(descriptor));
  signal?.throwIfAborted();
  if (failure !== undefined) throw failure;
  if (code !== 0) throw new Error(`initdb failed (${code}): ${output.trim().slice(-2000)}`);
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
