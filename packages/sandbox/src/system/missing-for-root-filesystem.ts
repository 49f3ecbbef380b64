import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, statfs } from "node:fs/promises";
import { promisify } from "node:util";
import { findProgram } from "@berth/linux";

const run = promisify(execFile);
const MIB = 1_048_576;
/** Twice what a build takes, so that it never fills the disk, which the database may share. */
const NEEDED_BYTES = 1_792 * MIB;

/**
 * Returns a clause that says what this machine lacks to build root filesystems in a directory and to mount
 * them; null when nothing. Never throws.
 */
export async function missingForRootFilesystem(directory: string): Promise<string | null> {
  if (process.getuid?.() !== 0) return "Berth does not run as root";
  if (/[:,\\"\s]/.test(directory))
    return "the path of the data directory has a character that overlays cannot take";
  if (findProgram("mmdebstrap") === null) return "mmdebstrap is missing (package mmdebstrap)";
  return await missingForOverlays(directory);
}

async function missingForOverlays(directory: string): Promise<string | null> {
  let trial: string | undefined;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    trial = await mkdtemp(`${directory}/trial-`);
    await Promise.all(["a", "b"].map((name) => mkdir(`${trial}/${name}`)));
    const mount = ["mount", "--no-mtab", "--types", "overlay", "--options", `lowerdir=${trial}/a:${trial}/b`];
    await run("unshare", ["--mount", "--propagation=private", ...mount, "overlay", "/mnt"]);
    return null;
  } catch {
    return "the kernel mounts no overlay in its data directory";
  } finally {
    if (trial !== undefined) await rm(trial, { recursive: true, force: true }).catch(() => {});
  }
}

/**
 * Returns a clause when a directory's filesystem has too little space to build a root filesystem; otherwise
 * null.
 */
export async function missingSpace(directory: string, needed = NEEDED_BYTES): Promise<string | null> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= needed) return null;
  const [free, enough] = [bavail * bsize, needed].map((bytes) => Math.floor(bytes / MIB));
  return `the disk of the data directory has ${free} MiB free, and making the Debian takes ${enough}`;
}
