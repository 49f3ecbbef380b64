import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, statfs } from "node:fs/promises";
import { promisify } from "node:util";
import { findProgram } from "@berth/linux";

const run = promisify(execFile);
const MEBIBYTE = 1_048_576;
/** What a tree takes while it is made, and as much again, so that the database beside it never meets a full disk. */
export const ROOT_FILESYSTEM_NEEDS_BYTES = 1_536 * MEBIBYTE;

/** What this machine lacks to make system trees in a directory and to show them, as a clause, or null. Never throws. */
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

/** That a directory's filesystem is too full for a tree to be made there, as a clause, or null. */
export async function missingSpace(
  directory: string,
  needed = ROOT_FILESYSTEM_NEEDS_BYTES,
): Promise<string | null> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= needed) return null;
  const [free, enough] = [bavail * bsize, needed].map((bytes) => Math.floor(bytes / MEBIBYTE));
  return `the disk of the data directory has ${free} MiB free, and making the Debian takes ${enough}`;
}
