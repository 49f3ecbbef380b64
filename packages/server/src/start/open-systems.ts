import { openLayerRoom, openSystemTree, type SandboxEngine } from "@berth/sandbox";
import type { Logger } from "pino";
import { type Config, layerDirectory, systemDirectory } from "../config.ts";
import type { SystemParts } from "../runs/system/systems.ts";

/** Null where sandboxes have what their engine gives them. */
export function openSystems(config: Config, engine: SandboxEngine, log: Logger): SystemParts | null {
  if (config.rootfs === "host" || config.sandbox !== "bubblewrap") return null;
  const tell = (line: string) => log.info(line);
  return {
    tree: openSystemTree({ directory: systemDirectory(config), log: tell }),
    layers: openLayerRoom({ directory: layerDirectory(config), engine, log: tell }),
    sources: { npmRegistry: config.npmRegistry, pipIndex: config.pipIndex },
  };
}
