import { execFile } from "node:child_process";
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { SandboxError } from "../../interface/errors.ts";
import { shellScript } from "../../scripts/read-script.ts";
import { IN_USE } from "../launch/launch-program.ts";
import { BLOCK_BYTES, type ImagePrograms, imageBytes, KIB, MIB } from "./disk-image.ts";

const run = promisify(execFile);

/** More than a filesystem leaves unused at the end, where a group of blocks would hold nothing but its own records. */
const LARGEST_REST = 16 * MIB;
const MAX_WAIT_SECONDS = 60;
const UNMOUNT_TIMEOUT_MS = 500;
/** In the superblock: the only state of a filesystem that is whole, and a feature that says that its journal is to be read. */
const [VALID, NEEDS_RECOVERY] = [1, 4];
const REPAIR_IMAGE = shellScript("bubblewrap/repair-image.sh");
/** Exit code of `repair-image.sh` when the filesystem cannot be repaired. */
const BROKEN = 76;

/** What is in an image was not mounted, though it says of itself that it is whole. */
export class BrokenDiskError extends SandboxError {
  constructor(why: string) {
    super("the disk cannot be mounted", { cause: why });
  }
}

/**
 * Mends what a crash has left in it, and makes it larger, under its lock, which it has to wait for until the kernel has let go of a
 * sandbox of before. Nothing is run for an image that was left clean.
 */
export async function fsckAndResize(
  programs: ImagePrograms,
  path: string,
  bytes: number | null,
): Promise<void> {
  const { clean, grown } = await lookOnceUnmounted(path, bytes === null ? 0 : imageBytes(bytes));
  if (clean && grown === null) return;
  await mend(programs, path, { grown: grown === null ? "" : String(grown), look: "-p" });
}

/** Mends an image whatever it says of itself, under its lock. What it cannot place is in `lost+found` of the disk, or gone. */
export async function repairImage(programs: ImagePrograms, path: string): Promise<void> {
  await mend(programs, path, { grown: "", look: "-f" });
}

async function mend(
  { flock, e2fsck, resize }: ImagePrograms,
  path: string,
  { grown, look }: { grown: string; look: "-p" | "-f" },
): Promise<void> {
  const options = ["--timeout", String(MAX_WAIT_SECONDS), "--conflict-exit-code", String(IN_USE)];
  try {
    await run(flock, [
      ...options,
      path,
      "bash",
      "-c",
      REPAIR_IMAGE,
      "bash",
      path,
      e2fsck,
      resize,
      grown,
      look,
    ]);
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === IN_USE) throw new SandboxError("the disk is still in use", { cause: error });
    throw new SandboxError(code === BROKEN ? "the disk cannot be mended" : "the disk could not be prepared", {
      cause: error,
    });
  }
}

/** A sandbox that has just closed is unmounted in a moment, which costs less to wait for than a program. */
async function lookOnceUnmounted(path: string, wanted: number): Promise<Look> {
  const until = performance.now() + UNMOUNT_TIMEOUT_MS;
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
