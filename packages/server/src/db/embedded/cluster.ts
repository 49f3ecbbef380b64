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

/** The superuser of an embedded cluster. Nobody else can reach the socket, so it is the only role. */
export const CLUSTER_USER = "berth";

/**
 * The cluster's directory below `dataDir`, made by `initdb` when there is none. A cluster that was cut short while it
 * was being made never gets its final name, so a directory of that name is whole and on disk.
 *
 * @throws when the cluster belongs to another major version of PostgreSQL, which cannot read it.
 */
export async function ensureCluster(dataDir: string, binaries: Binaries): Promise<string> {
  const directory = join(dataDir, "cluster");
  if (!existsSync(directory)) await initialise(directory, binaries);
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
 * A name by which a server finds its cluster through a descriptor it inherits. Its user may not be allowed to walk to
 * the data directory (below a home that is closed to others); it needs no right but to the directory itself.
 */
export const CLUSTER_DESCRIPTOR = 3;
export const CLUSTER_BY_DESCRIPTOR = `/proc/self/fd/${CLUSTER_DESCRIPTOR}`;

/**
 * Works in a directory of its own. One of a start that was cut short is removed only afterwards: its `initdb` may still
 * be at work there, and PostgreSQL's shared memory goes by the directory's inode, which must not come around again.
 */
async function initialise(directory: string, binaries: Binaries): Promise<void> {
  const dataDir = dirname(directory);
  const leftovers = readdirSync(dataDir).filter((name) => name.startsWith(PARTIAL));
  const partial = mkdtempSync(join(dataDir, PARTIAL));
  const { uid, gid } = binaries.spawn;
  if (uid !== undefined && gid !== undefined) chownSync(partial, uid, gid);
  await initdb(partial, binaries);
  renameSync(partial, directory);
  syncDirectory(dataDir);
  for (const name of leftovers) rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 10 });
}

async function initdb(directory: string, binaries: Binaries): Promise<void> {
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
    { ...binaries.spawn, stdio: ["ignore", "pipe", "pipe", descriptor] },
  );
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const ended = Promise.withResolvers<number | string | null>();
  child.on("error", ended.reject).on("close", (code, signal) => ended.resolve(code ?? signal));
  const code = await ended.promise.finally(() => closeSync(descriptor));
  if (code !== 0) throw new Error(`initdb failed (${code}): ${output.trim().slice(-2000)}`);
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
