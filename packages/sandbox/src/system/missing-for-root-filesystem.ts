import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, statfs } from "node:fs/promises";
import { promisify } from "node:util";
import { findProgram } from "@berth/linux";

const run = promisify(execFile);
const MIB = 1_048_576;
/** Twice what a build takes, so that it never fills the disk, which the database may share. */
const NEEDED_BYTES = 2_304 * MIB;
/** How the names of directories begin in which mounting is tried. */
export const TRIAL_PREFIX = "trial-";

/**
 * Returns a clause that says what this machine lacks to mount root filesystems of a directory; null when
 * nothing. Never throws.
 */
export async function missingForMounting(directory: string): Promise<string | null> {
  if (process.getuid?.() !== 0) return "Berth does not run as root";
  if (/[:,\\"\s]/.test(directory))
    return "the path of the directory of systems has a character that overlays cannot take";
  return await missingForOverlays(directory);
}

/** Returns a clause that says what this machine lacks to build root filesystems; null when nothing. */
export function missingForBuilding(): string | null {
  return findProgram("mmdebstrap") === null ? "mmdebstrap is missing (package mmdebstrap)" : null;
}

async function missingForOverlays(directory: string): Promise<string | null> {
  let trial: string;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    trial = await mkdtemp(`${directory}/${TRIAL_PREFIX}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const advice = code === "EROFS" ? "; the ReadWritePaths of a unit must name it" : "";
    return `the directory of systems ${directory} cannot be written (${code}${advice})`;
  }
  try {
    await Promise.all(["a", "b"].map((name) => mkdir(`${trial}/${name}`)));
    const mount = ["mount", "--no-mtab", "--types", "overlay", "--options", `lowerdir=${trial}/a:${trial}/b`];
    await run("unshare", ["--mount", "--propagation=private", ...mount, "overlay", "/mnt"]);
    return null;
  } catch {
    return "the kernel mounts no overlay in the directory of systems";
  } finally {
    await rm(trial, { recursive: true, force: true }).catch(() => {});
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
  return `the disk of the directory of systems has ${free} MiB free, and building takes ${enough}`;
}
