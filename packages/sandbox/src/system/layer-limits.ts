import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { promisify } from "node:util";
import type { SandboxEngine } from "../interface/sandbox.ts";

const run = promisify(execFile);
export const MIB = 1024 ** 2;

/** What making one layer may take. */
export interface LayerLimits {
  milliseconds: number;
  /** Of its disk, with one file for every 4 KiB. Only counted where the machine cannot limit disks. */
  bytes: number;
  /** Where they are only counted. */
  files: number;
  /** Bytes that its directory's filesystem has to have left. */
  spared: number;
}

export const DEFAULT_LAYER_LIMITS: LayerLimits = {
  milliseconds: 15 * 60_000,
  bytes: 4096 * MIB,
  files: 400_000,
  spared: 1024 * MIB,
};

/** Whether disks of this engine's sandboxes can be limited, by a trial. */
export async function limitsDisks(engine: Pick<SandboxEngine, "probe">): Promise<boolean> {
  const found = await engine.probe();
  return found.some(({ name, state }) => name === "limit_disk" && state === "yes");
}

export async function isTooLarge(directory: string, limits: LayerLimits): Promise<boolean> {
  const { bytes, files } = await sizeOf(directory);
  return bytes > limits.bytes || files > limits.files;
}

/** What a file takes that was deleted while it is open is in no directory: only the filesystem tells it. */
export async function lacksSpace(directory: string, { spared }: LayerLimits): Promise<boolean> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize < spared;
}

/** What a directory takes on the disk. What goes away meanwhile is left out. */
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
