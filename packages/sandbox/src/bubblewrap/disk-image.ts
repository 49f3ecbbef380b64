import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { link, mkdtemp, open, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { findProgram } from "../host/find-program.ts";
import { DiskLimitError, SandboxError } from "../sandbox.ts";
import { isArchitecture } from "../seccomp/seccomp.ts";
import { IN_USE, launchScript } from "./launch-script.ts";

const run = promisify(execFile);

const KIB = 1024;
const MIB = 1024 * KIB;
const BLOCK_BYTES = 4 * KIB;
const INODE_BYTES = 256;
/** More than a filesystem leaves unused at the end, where a group of blocks would hold nothing but its own records. */
const LARGEST_REST = 16 * MIB;
const LONGEST_WAIT_SECONDS = 60;
const LONGEST_UNMOUNT_MS = 500;
/** In the superblock: the only state of a filesystem that is whole, and a feature that says that its journal is to be read. */
const [VALID, NEEDS_RECOVERY] = [1, 4];
const BROKEN = 76;

/**
 * A disk with a limit: an ext4 filesystem in a sparse file of the disk's directory.
 *
 * It is mounted only in the mount namespace that a sandbox starts from, with the lock of the file. Programs may be run from it;
 * devices and set-user-id mean nothing in it. What is deleted in it is given back to the host. When the last process of the sandbox dies, of
 * whatever, the kernel unmounts it with all that was written and detaches its loop device; a host that loses power finds a
 * consistent filesystem by its journal.
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

/** What this machine lacks for disks with a limit, or null, by making and mounting one. Never throws. */
export async function lackForImages(directory: string): Promise<string | null> {
  const programs = imagePrograms();
  if (typeof programs === "string") return programs;
  let trial: string | undefined;
  try {
    trial = await mkdtemp(`${directory}/trial-`);
    const path = `${trial}/disk.ext4`;
    await makeTrialImage(path);
    if (!isArchitecture(process.arch)) return `${process.arch} is not known`;
    const steps = ["apart", "disk", path, "/mnt", "--", "/bin/true"];
    await run("perl", ["-e", launchScript(process.arch), "--", ...steps]);
    return null;
  } catch {
    return "its loop devices cannot be used; where Berth runs in a container, give it /dev/loop-control and the loop devices";
  } finally {
    if (trial !== undefined) await rm(trial, { recursive: true, force: true }).catch(() => {});
  }
}

/** A small one, to try what can be done with it. Rejects where none can be made. */
export async function makeTrialImage(path: string): Promise<void> {
  const programs = imagePrograms();
  if (typeof programs === "string") throw new DiskLimitError(programs);
  await makeImage(programs, path, 16 * MIB);
}

/** The programs, or what is missing as a clause. */
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

/** Under a name of its own first, so that what has the image's name is always whole. */
export async function makeImage({ mkfs }: ImagePrograms, path: string, bytes: number): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}.making`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.truncate(imageBytes(bytes));
      await run(mkfs, [...mkfsOptions(bytes), temporary]);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } catch (error) {
    throw new SandboxError("the disk could not be made", { cause: error });
  } finally {
    await rm(temporary, { force: true });
  }
}

function mkfsOptions(bytes: number): string[] {
  return [
    ...["-q", "-b", String(BLOCK_BYTES), "-I", String(INODE_BYTES), "-i", String(BLOCK_BYTES), "-m", "0"],
    ...["-J", `size=${journalBytes(bytes) / MIB}`],
    // Room ahead for a larger table of groups would take 4 MiB of each; resize2fs finds it where it is needed.
    ...["-O", "^resize_inode", "-E", "lazy_itable_init=1,lazy_journal_init=1,nodiscard"],
  ];
}

/**
 * Mends what a crash has left in it, and makes it larger, under its lock, which it has to wait for until the kernel has let go of a
 * sandbox of before. Nothing is run for an image that was left clean.
 */
export async function tendImage(programs: ImagePrograms, path: string, bytes: number | null): Promise<void> {
  const { clean, grown } = await lookOnceUnmounted(path, bytes === null ? 0 : imageBytes(bytes));
  if (clean && grown === null) return;
  const { flock, e2fsck, resize } = programs;
  const script = [path, e2fsck, resize, grown === null ? "" : String(grown)];
  try {
    await run(flock, [
      "--timeout",
      String(LONGEST_WAIT_SECONDS),
      "--conflict-exit-code",
      String(IN_USE),
      path,
      "bash",
      "-c",
      TEND,
      "bash",
      ...script,
    ]);
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === IN_USE) throw new SandboxError("the disk is still in use", { cause: error });
    throw new SandboxError(code === BROKEN ? "the disk cannot be mended" : "the disk could not be prepared", {
      cause: error,
    });
  }
}

/** Codes of e2fsck below 4 say that all is well, or well again. */
const TEND = `image=$1 e2fsck=$2 resize=$3 grown=$4
mend() { "$e2fsck" "$@" "$image"; [ $? -lt 4 ]; }
mend -p || mend -f -y || exit ${BROKEN}
if [ -n "$grown" ]; then
  mend -f -p || exit ${BROKEN}
  truncate -s "$grown" "$image" && "$resize" "$image" || exit 1
fi`;

/** A sandbox that has just closed is unmounted in a moment, which costs less to wait for than a program. */
async function lookOnceUnmounted(path: string, wanted: number): Promise<Look> {
  const until = performance.now() + LONGEST_UNMOUNT_MS;
  for (;;) {
    const look = await lookInto(path, wanted);
    if (look.clean || performance.now() > until) return look;
    await delay(5);
  }
}

interface Look {
  clean: boolean;
  grown: number | null;
}

/**
 * By its superblock. Clean: it was unmounted, and no error was ever seen in it; a mounted one is not. Grown: its size to be,
 * null when it is large enough: a file that was made larger may hold a filesystem that was not yet, and one that leaves the end of
 * the file alone is whole.
 */
async function lookInto(path: string, wanted: number): Promise<Look> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(KIB), 0, KIB, KIB);
    const filesystem = (buffer.readUInt32LE(0x4) + buffer.readUInt32LE(0x150) * 2 ** 32) * BLOCK_BYTES;
    const clean = buffer.readUInt16LE(0x3a) === VALID && (buffer.readUInt32LE(0x60) & NEEDS_RECOVERY) === 0;
    const small = size < wanted || size - filesystem > LARGEST_REST;
    return { clean, grown: small ? Math.max(size, wanted) : null };
  } finally {
    await file.close();
  }
}

/** Size of an image that has room for so many bytes in files, beside what the filesystem needs for itself. */
function imageBytes(bytes: number): number {
  const kept = Math.min(bytes / 50, 16 * MIB);
  const whole = (bytes + kept + journalBytes(bytes) + MIB) / (1 - INODE_BYTES / BLOCK_BYTES - 1 / 512);
  return Math.ceil(whole / MIB) * MIB;
}

function journalBytes(bytes: number): number {
  return Math.min(64, Math.max(4, Math.floor(bytes / MIB / 64))) * MIB;
}
