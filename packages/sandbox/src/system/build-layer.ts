import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
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
}

export const layerLimits: LayerLimits = { milliseconds: 15 * 60_000, bytes: 4096 * MIB, files: 400_000 };

const MEMORY_BYTES = 3072 * MIB;
const OUTPUT_BYTES = 16_384;
const LOOK_MS = 1_000;

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
  const watch = watchSize(sandbox, `${directory}/changes`, limits, ended.signal);
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
    return failure(result, await watch, limits);
  } finally {
    ended.abort();
    await sandbox.close();
  }
}

function failure(result: CommandResult, tooLarge: boolean, limits: LayerLimits): LayerFailure | null {
  const output = Buffer.from(result.output).toString().trim();
  if (tooLarge)
    return { why: `it takes more than ${limits.bytes / MIB} MiB or ${limits.files} files`, output };
  if (result.exitCode === 0) return null;
  if (result.exitCode !== null) return { why: `it ended with exit code ${result.exitCode}`, output };
  if (result.ended === "timeout")
    return { why: `it took longer than ${limits.milliseconds / 60_000} minutes`, output };
  return { why: "it was cut off", output };
}

/** Closes the sandbox once what it has written is too much, and answers whether it was. */
async function watchSize(
  sandbox: Sandbox,
  directory: string,
  { bytes, files }: LayerLimits,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const ended = signal.aborted;
    const size = await sizeOf(directory);
    if (size.bytes > bytes || size.files > files) {
      await sandbox.close();
      return true;
    }
    if (ended) return false;
    await pause(LOOK_MS, undefined, { signal }).catch(() => {});
  }
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
