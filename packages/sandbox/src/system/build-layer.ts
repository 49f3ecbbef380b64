import { randomBytes } from "node:crypto";
import type { EgressDenied } from "@berth/egress";
import type { CommandResult } from "../interface/command.ts";
import type { SandboxEngine } from "../interface/sandbox.ts";
import { SYSTEM_IDS, type SystemLayers } from "../interface/spec.ts";
import { isTooLarge, type LayerLimits, LimitWatch, MIB } from "./layer-limits.ts";
import type { LayerPlan } from "./layer-plan.ts";

const MEMORY_BYTES = 3072 * MIB;
const MAX_OUTPUT_BYTES = 16_384;
const SIZE_INTERVAL_MS = 1_000;
const FILE_BYTES = 4096;

/** The reason why a layer could not be built. */
export interface LayerFailure {
  /** The reason, as a clause. */
  why: string;
  /** The end of the script's output. */
  output: string;
  /** Names that were not installed, where the layer could be built with the others. */
  missing?: readonly string[];
}

export interface LayerBuild {
  plan: LayerPlan;
  /** The system below the layer. */
  system: SystemLayers;
  /** Host directory for the disk of this build; `takeChanges` reads it afterwards. */
  disk: string;
  limits: LayerLimits;
  /** Whether the engine limits the disk; otherwise its size is measured periodically. */
  limited: boolean;
  /** Stops the build at once. */
  signal: AbortSignal;
  onEgressDenied?: (denied: EgressDenied) => void;
}

/**
 * Runs a plan's script as root over a system, in its own sandbox.
 *
 * @returns null on success.
 * @throws SandboxError when no sandbox can be opened.
 */
export async function buildLayer(engine: SandboxEngine, build: LayerBuild): Promise<LayerFailure | null> {
  const { plan, system, disk, limits, limited, onEgressDenied } = build;
  const sandbox = await engine.open({
    id: sandboxId(),
    disk,
    uid: SYSTEM_IDS.first,
    limits: { memoryBytes: MEMORY_BYTES, pids: 1_024, cpus: 2, diskBytes: limited ? limits.bytes : null },
    egress: plan.egress,
    files: [],
    writable: [],
    directories: plan.runtimes?.directories ?? [],
    system: { ...system, changes: true, ...(plan.packages && { packages: true }) },
    ...(onEgressDenied ? { onEgressDenied } : {}),
  });
  const size = new LimitWatch(async () => !limited && (await isTooLarge(disk, limits)), SIZE_INTERVAL_MS);
  const stopped = AbortSignal.any([build.signal, size.signal]);
  const stop = () => void sandbox.close();
  stopped.addEventListener("abort", stop, { once: true });
  if (stopped.aborted) stop();
  try {
    const { script, environment } = plan;
    const timeoutMs = limits.milliseconds;
    const result = await sandbox.run({ script, environment, timeoutMs, maxOutputBytes: MAX_OUTPUT_BYTES });
    return failureOf(result, await size.stop(), build);
  } finally {
    await sandbox.close();
    await size.stop();
  }
}

/** Returns the failure of a script that filled its disk, whether or not the script noticed. */
export function fullDisk({ bytes }: LayerLimits, output = ""): LayerFailure {
  return {
    why: `it filled its disk, which holds ${bytes / MIB} MiB and ${bytes / FILE_BYTES} files`,
    output,
  };
}

function failureOf(
  result: CommandResult,
  tooLarge: boolean,
  { plan, limits }: LayerBuild,
): LayerFailure | null {
  const output = Buffer.from(result.output).toString().trim();
  if (tooLarge)
    return { why: `it takes more than ${limits.bytes / MIB} MiB or ${limits.files} files`, output };
  if (result.exitCode === 0) return null;
  if (result.limit === "disk") return fullDisk(limits, output);
  const missing =
    result.exitCode === plan.partialExitCode ? /(?:^|\n)not installed: (.+)$/.exec(output)?.[1] : undefined;
  if (missing !== undefined)
    return {
      why: "it installed the others",
      output: output.slice(0, output.lastIndexOf("\n")),
      missing: missing.split(" "),
    };
  if (result.exitCode !== null) return { why: `it ended with exit code ${result.exitCode}`, output };
  if (result.ended === "timeout")
    return { why: `it took longer than ${limits.milliseconds / 60_000} minutes`, output };
  return { why: "it was cut off", output };
}

/**
 * Opens a sandbox over layers, as sessions will. This fails when a script has removed something that is
 * needed, such as the shell.
 *
 * @returns null on success.
 */
export async function tryLayers(
  engine: SandboxEngine,
  system: SystemLayers,
  disk: string,
): Promise<LayerFailure | null> {
  try {
    const sandbox = await engine.open({
      id: sandboxId(),
      disk,
      uid: SYSTEM_IDS.first + SYSTEM_IDS.count - 1,
      limits: { memoryBytes: 256 * MIB, pids: 64, cpus: 1, diskBytes: null },
      egress: { mode: "limited", hosts: [] },
      files: [],
      writable: [],
      system,
    });
    await sandbox.close();
    return null;
  } catch (error) {
    return { why: "no sandbox can be opened on its result", output: String((error as Error).message) };
  }
}

function sandboxId(): string {
  return `layer_${randomBytes(8).toString("hex")}`;
}
