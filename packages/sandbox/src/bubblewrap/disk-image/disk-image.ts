import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { type FileHandle, link, open, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { findProgram } from "@berth/linux";
import { SandboxError } from "../../interface/errors.ts";

const run = promisify(execFile);

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const BLOCK_BYTES = 4 * KIB;
const INODE_BYTES = 256;

/**
 * A disk with a limit: an ext4 filesystem in a sparse file of the disk's directory.
 *
 * It is mounted only in the mount namespace from which a sandbox starts, under the lock of the file, with
 * nodev and nosuid. Deleted blocks are returned to the host (discard). When the last process of the sandbox
 * dies, however it dies, the kernel writes everything, unmounts it and detaches its loop device. After a
 * power failure the journal makes it consistent.
 */
export interface DiskImage {
  path: string;
}

export interface ImagePrograms {
  flock: string;
  mkfs: string;
  e2fsck: string;
  resize: string;
}

/** Returns the programs, or a clause that says what is missing. */
export function imagePrograms(): ImagePrograms | string {
  if (process.getuid?.() !== 0) return "Berth does not run as root";
  const [flock, mkfs, e2fsck, resize] = PROGRAMS.map(([name]) => findProgram(name));
  if (flock && mkfs && e2fsck && resize) return { flock, mkfs, e2fsck, resize };
  const missing = PROGRAMS.filter(([name]) => findProgram(name) === null);
  return missing.map(([name, provider]) => `${name} is missing (package ${provider})`).join(", ");
}

const PROGRAMS = [
  ["flock", "util-linux"],
  ["mkfs.ext4", "e2fsprogs"],
  ["e2fsck", "e2fsprogs"],
  ["resize2fs", "e2fsprogs"],
] as const;

/**
 * Makes an image under a temporary name first, so that a file with the image's name is always complete.
 * Rejects with `SandboxError` when it cannot.
 */
export async function makeImage({ mkfs }: ImagePrograms, path: string, bytes: number): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}.making`;
  await writeImage(temporary, imageBytes(bytes), () => run(mkfs, [...mkfsOptions(bytes), temporary]));
  try {
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } catch (error) {
    throw notMade(error);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Writes the file of a new image, durably. Rejects with `SandboxError`, and leaves the path unchanged, when
 * it cannot.
 */
export async function writeImage(
  path: string,
  length: number,
  fill: (file: FileHandle) => Promise<unknown>,
): Promise<void> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.truncate(length);
      await fill(file);
      await file.sync();
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw notMade(error);
  }
}

function notMade(cause: unknown): SandboxError {
  return new SandboxError("the disk could not be made", { cause });
}

function mkfsOptions(bytes: number): string[] {
  return [
    ...["-q", "-b", String(BLOCK_BYTES), "-I", String(INODE_BYTES), "-i", String(BLOCK_BYTES), "-m", "0"],
    ...["-J", `size=${journalBytes(bytes) / MIB}`],
    // Reserved blocks for a larger group table would take 4 MiB of each image. resize2fs finds blocks when it
    // needs them.
    ...["-O", "^resize_inode", "-E", "lazy_itable_init=1,lazy_journal_init=1,nodiscard"],
  ];
}

/**
 * Returns the size of an image whose files may take this many bytes, including the filesystem's own needs.
 */
export function imageBytes(bytes: number): number {
  const kept = Math.min(bytes / 50, 16 * MIB);
  const whole = (bytes + kept + journalBytes(bytes) + MIB) / (1 - INODE_BYTES / BLOCK_BYTES - 1 / 512);
  return Math.ceil(whole / MIB) * MIB;
}

function journalBytes(bytes: number): number {
  return Math.min(64, Math.max(4, Math.floor(bytes / MIB / 64))) * MIB;
}
