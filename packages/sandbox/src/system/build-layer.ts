import { randomBytes } from "node:crypto";
import type { EgressDenied } from "@berth/egress";
import type { CommandResult } from "../interface/command.ts";
import type { SandboxEngine } from "../interface/sandbox.ts";
import { SYSTEM_IDS, type SystemLayers } from "../interface/spec.ts";
import { isTooLarge, type LayerLimits, MIB } from "./layer-limits.ts";
import type { LayerPlan } from "./layer-plan.ts";
import { watch } from "./watch.ts";

const MEMORY_BYTES = 3072 * MIB;
const OUTPUT_BYTES = 16_384;
const LOOK_MS = 1_000;
const FILE_BYTES = 4096;

/** Why a layer was not made, as a clause, and the last that its script wrote. */
export interface LayerFailure {
  why: string;
  output: string;
}

export interface LayerBuild {
  plan: LayerPlan;
  /** What it is made on. */
  system: SystemLayers;
  /** Host directory for it alone, for `takeChanges` afterwards. */
  disk: string;
  limits: LayerLimits;
  /** Whether the disk is limited; else what is on it is counted. */
  limited: boolean;
  /** Ends it at once. */
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
  const { plan, system, disk, limits, limited, onEgressDenied } = build;
  const sandbox = await engine.open({
    id: `layer_${randomBytes(8).toString("hex")}`,
    disk,
    uid: SYSTEM_IDS.first,
    limits: { memoryBytes: MEMORY_BYTES, pids: 1_024, cpus: 2, diskBytes: limited ? limits.bytes : null },
    egress: plan.egress,
    files: [],
    writable: [],
    system: { ...system, changes: true },
    ...(onEgressDenied ? { onEgressDenied } : {}),
  });
  const size = watch(async () => !limited && (await isTooLarge(disk, limits)), LOOK_MS);
  const stopped = AbortSignal.any([build.signal, size.signal]);
  const stop = () => void sandbox.close();
  stopped.addEventListener("abort", stop, { once: true });
  if (stopped.aborted) stop();
  try {
    const { script, environment } = plan;
    const timeoutMs = limits.milliseconds;
    const result = await sandbox.run({ script, environment, timeoutMs, maxOutputBytes: OUTPUT_BYTES });
    return failure(result, await size.end(), limits);
  } finally {
    await sandbox.close();
    await size.end();
  }
}

/** Of a script that wrote more than its disk takes, whether or not it went on then. */
export function fullDisk({ bytes }: LayerLimits, output = ""): LayerFailure {
  return {
    why: `it filled its disk, which takes ${bytes / MIB} MiB and ${bytes / FILE_BYTES} files`,
    output,
  };
}

function failure(result: CommandResult, tooLarge: boolean, limits: LayerLimits): LayerFailure | null {
  const output = Buffer.from(result.output).toString().trim();
  if (tooLarge)
    return { why: `it takes more than ${limits.bytes / MIB} MiB or ${limits.files} files`, output };
  if (result.exitCode === 0) return null;
  if (result.limit === "disk") return fullDisk(limits, output);
  if (result.exitCode !== null) return { why: `it ended with exit code ${result.exitCode}`, output };
  if (result.ended === "timeout")
    return { why: `it took longer than ${limits.milliseconds / 60_000} minutes`, output };
  return { why: "it was cut off", output };
}
