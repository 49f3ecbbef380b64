import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { SandboxEngine } from "../interface/sandbox.ts";

const run = promisify(execFile);
export const MIB = 1024 ** 2;

/** Limits of the build of one layer. */
export interface LayerLimits {
  milliseconds: number;
  /**
   * Size of the disk, which may have one file for every 4 KiB. Only measured where the machine cannot limit
   * disks.
   */
  bytes: number;
  /** Maximum number of files, where the machine cannot limit disks. */
  files: number;
  /** Bytes that must stay free on the filesystem of the build's directory. */
  spared: number;
}

export const DEFAULT_LAYER_LIMITS: LayerLimits = {
  milliseconds: 15 * 60_000,
  bytes: 4096 * MIB,
  files: 400_000,
  spared: 1024 * MIB,
};

/** Returns whether this engine can limit the disks of its sandboxes, by a trial. */
export async function limitsDisks(engine: Pick<SandboxEngine, "probe">): Promise<boolean> {
  const found = await engine.probe();
  return found.some(({ name, state }) => name === "limit_disk" && state === "yes");
}

/** Returns whether a directory exceeds the limits of bytes or files. */
export async function isTooLarge(directory: string, limits: LayerLimits): Promise<boolean> {
  const { bytes, files } = await sizeOf(directory);
  return bytes > limits.bytes || files > limits.files;
}

/**
 * Returns whether less than `spared` is free. Reads the filesystem's statistics, which include deleted files
 * that are still open.
 */
export async function lacksSpace(directory: string, { spared }: LayerLimits): Promise<boolean> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize < spared;
}

/** Returns the disk usage of a directory. Files that are deleted meanwhile are not counted. */
export async function sizeOf(directory: string): Promise<{ bytes: number; files: number }> {
  const count = async (options: string[]) => {
    const done = await run("du", ["-s", ...options, "--", directory]).catch(
      (error) => error as { stdout?: string },
    );
    return Number(/^(\d+)/.exec(done.stdout ?? "")?.[1] ?? 0);
  };
  const [blocks, files] = await Promise.all([count(["--block-size=1"]), count(["--inodes"])]);
  return { bytes: blocks, files };
}

/** Checks periodically whether a limit is exceeded. */
export class LimitWatch {
  readonly #exceeded = new AbortController();
  readonly #stopped = new AbortController();
  readonly #result: Promise<boolean>;

  constructor(isExceeded: () => Promise<boolean>, intervalMs: number) {
    this.#result = this.#watch(isExceeded, intervalMs);
    // `stop` reports the error.
    this.#result.catch(() => {});
  }

  /** Aborts when the limit is exceeded. */
  get signal(): AbortSignal {
    return this.#exceeded.signal;
  }

  /**
   * Stops after a last check, and returns whether the limit was ever exceeded. Rejects when a check failed. A
   * second call returns the same.
   */
  stop(): Promise<boolean> {
    this.#stopped.abort();
    return this.#result;
  }

  async #watch(isExceeded: () => Promise<boolean>, intervalMs: number): Promise<boolean> {
    for (;;) {
      const isLast = this.#stopped.signal.aborted;
      if (await isExceeded()) {
        this.#exceeded.abort();
        return true;
      }
      if (isLast) return false;
      await pause(intervalMs, undefined, { signal: this.#stopped.signal }).catch(() => {});
    }
  }
}
