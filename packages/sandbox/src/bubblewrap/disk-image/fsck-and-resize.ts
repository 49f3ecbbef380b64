import { execFile } from "node:child_process";
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { SandboxError } from "../../interface/errors.ts";
import { shellScript } from "../../scripts/read-script.ts";
import { IN_USE } from "../launch/launch-program.ts";
import { BLOCK_BYTES, type ImagePrograms, imageBytes, KIB, MIB } from "./disk-image.ts";

const run = promisify(execFile);

/**
 * Bytes that a filesystem may leave unused at its end: a block group there would contain only its own
 * metadata.
 */
const MAX_UNUSED_END = 16 * MIB;
const MAX_WAIT_SECONDS = 60;
const UNMOUNT_TIMEOUT_MS = 500;
/**
 * Superblock values: the state of a clean filesystem, and the feature flag of a journal that must be
 * replayed.
 */
const [VALID, NEEDS_RECOVERY] = [1, 4];
const REPAIR_IMAGE = shellScript("bubblewrap/repair-image.sh");
/** Exit code of `repair-image.sh` when the filesystem cannot be repaired. */
const BROKEN = 76;

/** The filesystem of an image is marked clean but could not be mounted. */
export class BrokenDiskError extends SandboxError {
  constructor(why: string) {
    super("the disk cannot be mounted", { cause: why });
  }
}

/**
 * Repairs an image after a crash, and enlarges it, while holding its lock, which the kernel may still hold
 * for an earlier sandbox. Starts no program for an image that is clean and large enough. Rejects with
 * `SandboxError` when the lock stays held or the image cannot be repaired.
 */
export async function fsckAndResize(
  programs: ImagePrograms,
  path: string,
  bytes: number | null,
): Promise<void> {
  const { clean, newSize } = await stateOnceUnmounted(path, bytes === null ? 0 : imageBytes(bytes));
  if (clean && newSize === null) return;
  await repair(programs, path, { size: newSize === null ? "" : String(newSize), look: "-p" });
}

/**
 * Repairs an image even if it is marked clean, while holding its lock. Files without a name go to
 * `lost+found` of the disk.
 */
export async function repairImage(programs: ImagePrograms, path: string): Promise<void> {
  await repair(programs, path, { size: "", look: "-f" });
}

async function repair(
  { flock, e2fsck, resize }: ImagePrograms,
  path: string,
  { size, look }: { size: string; look: "-p" | "-f" },
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
      size,
      look,
    ]);
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === IN_USE) throw new SandboxError("the disk is still in use", { cause: error });
    throw new SandboxError(
      code === BROKEN ? "the disk cannot be repaired" : "the disk could not be prepared",
      {
        cause: error,
      },
    );
  }
}

/**
 * Reads the state, waiting up to 500 ms for an unmount. The disk of a just closed sandbox is unmounted within
 * milliseconds, so waiting is cheaper than starting a program.
 */
async function stateOnceUnmounted(path: string, minSize: number): Promise<ImageState> {
  const until = performance.now() + UNMOUNT_TIMEOUT_MS;
  for (;;) {
    const state = await stateOf(path, minSize);
    if (state.clean || performance.now() > until) return state;
    await delay(5);
  }
}

interface ImageState {
  /** Whether it was unmounted without errors. A mounted filesystem is not clean. */
  clean: boolean;
  /** Size in bytes to enlarge it to; null when it is large enough. */
  newSize: number | null;
}

/** Reads the superblock. The file is larger than its filesystem when enlarging was interrupted. */
async function stateOf(path: string, minSize: number): Promise<ImageState> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(KIB), 0, KIB, KIB);
    const filesystem = (buffer.readUInt32LE(0x4) + buffer.readUInt32LE(0x150) * 2 ** 32) * BLOCK_BYTES;
    const clean = buffer.readUInt16LE(0x3a) === VALID && (buffer.readUInt32LE(0x60) & NEEDS_RECOVERY) === 0;
    const small = size < minSize || size - filesystem > MAX_UNUSED_END;
    return { clean, newSize: small ? Math.max(size, minSize) : null };
  } finally {
    await file.close();
  }
}
