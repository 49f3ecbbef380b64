import { randomBytes } from "node:crypto";
import type { SandboxEngine } from "../interface/sandbox.ts";
import { SYSTEM_IDS, type SystemLayers } from "../interface/spec.ts";
import type { LayerFailure } from "./build-layer.ts";
import { MIB } from "./layer-limits.ts";

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
    return { why: "no sandbox can be opened over what it left", output: String((error as Error).message) };
  }
}
