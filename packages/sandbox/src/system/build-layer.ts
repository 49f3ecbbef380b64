import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { statfs } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { CommandResult, EgressDenied, Sandbox, SandboxEngine, SystemLayers } from "../sandbox.ts";
import type { LayerPlan } from "./layer-plan.ts";
import { systemIds } from "./system-owner.ts";

const run = promisify(execFile);
const MIB = 1024 ** 2;

/** What making one layer may take. */
export interface LayerLimits {
  milliseconds: number;
  bytes: number;
  files: number;
  /** Bytes that its directory's filesystem has to have left. */
  spared: number;
}

export const layerLimits: LayerLimits = {
  milliseconds: 15 * 60_000,
  bytes: 4096 * MIB,
  files: 400_000,
  spared: 1024 * MIB,
};

const MEMORY_BYTES = 3072 * MIB;
const OUTPUT_BYTES = 16_384;
const LOOK_MS = 1_000;
/** Less than a second's writing. */
const LOOK_AT_SPACE_MS = 100;

/** Why a layer was not made, as a clause, and the last that its script wrote. */
export interface LayerFailure {
  why: string;
  output: string;
}

export interface LayerBuild {
  plan: LayerPlan;
  /** What it is made on. */
  system: SystemLayers;
  /** Host directory for it alone; its changes are in `changes/upper` afterwards. */
  directory: string;
  limits: LayerLimits;
  signal: AbortSignal;
  onEgressDenied?: (denied: EgressDenied) => void;
}

/**
 * Runs the script of a plan as root over a system, in a sandbox of its own.
 *
 * @returns null when it ended well.
 * @throws SandboxError when no sandbox could be opened.
 */
export async function buildLayer(engine: SandboxEngine, build: LayerBuild): Promise<LayerFailure | null> {
  const { plan, system, directory, limits, signal } = build;
  const sandbox = await engine.open({
    id: `layer_${randomBytes(8).toString("hex")}`,
    disk: `${directory}/disk`,
    uid: systemIds.first,
    limits: { memoryBytes: MEMORY_BYTES, pids: 1_024, cpus: 2, diskBytes: null },
    egress: plan.egress,
    files: [],
    writable: [],
    system: { ...system, changes: `${directory}/changes` },
    ...(build.onEgressDenied ? { onEgressDenied: build.onEgressDenied } : {}),
  });
  const ended = new AbortController();
  const watches = Promise.all([
    closeWhen(sandbox, () => isTooLarge(`${directory}/changes`, limits), LOOK_MS, ended.signal),
    closeWhen(sandbox, () => lacksSpace(directory, limits), LOOK_AT_SPACE_MS, ended.signal),
  ]);
  // Awaited below, unless the script cannot be run at all.
  watches.catch(() => {});
  try {
    const { script, environment } = plan;
    const timeoutMs = limits.milliseconds;
    const result = await sandbox.run({
      script,
      environment,
      timeoutMs,
      maxOutputBytes: OUTPUT_BYTES,
      signal,
    });
    ended.abort();
    return failure(result, await watches, limits);
  } finally {
    ended.abort();
    await sandbox.close();
  }
}

/**
 * Opens a sandbox over layers, as sessions will. A script may have taken away what that needs, such as the shell.
 *
 * @returns null when one can be opened.
 */
export async function tryLayers(
  engine: SandboxEngine,
  system: SystemLayers,
  disk: string,
): Promise<LayerFailure | null> {
  try {
    const sandbox = await engine.open({
      id: `layer_${randomBytes(8).toString("hex")}`,
      disk,
      uid: systemIds.first + systemIds.count - 1,
      limits: { memoryBytes: 256 * MIB, pids: 64, cpus: 1, diskBytes: null },
      egress: { mode: "limited", hosts: [] },
      files: [],
      writable: [],
      system,
    });
    await sandbox.close();
    return null;
  } catch (error) {
    return { why: "no sandbox can be opened over what it left", output: String((error as Error).message) };
  }
}

function failure(
  result: CommandResult,
  [tooLarge, noSpace]: readonly boolean[],
  limits: LayerLimits,
): LayerFailure | null {
  const output = Buffer.from(result.output).toString().trim();
  if (noSpace) return { why: "this machine's disk has too little space left", output };
  if (tooLarge)
    return { why: `it takes more than ${limits.bytes / MIB} MiB or ${limits.files} files`, output };
  if (result.exitCode === 0) return null;
  if (result.exitCode !== null) return { why: `it ended with exit code ${result.exitCode}`, output };
  if (result.ended === "timeout")
    return { why: `it took longer than ${limits.milliseconds / 60_000} minutes`, output };
  return { why: "it was cut off", output };
}

/** Closes the sandbox once something holds, which is looked for until the signal aborts and once after it. Answers whether it did. */
async function closeWhen(
  sandbox: Sandbox,
  holds: () => Promise<boolean>,
  everyMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const ended = signal.aborted;
    if (await holds()) {
      await sandbox.close();
      return true;
    }
    if (ended) return false;
    await pause(everyMs, undefined, { signal }).catch(() => {});
  }
}

async function isTooLarge(directory: string, limits: LayerLimits): Promise<boolean> {
  const { bytes, files } = await sizeOf(directory);
  return bytes > limits.bytes || files > limits.files;
}

/** What a file takes that was deleted while it is open is in no directory: only the filesystem tells it. */
async function lacksSpace(directory: string, { spared }: LayerLimits): Promise<boolean> {
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
