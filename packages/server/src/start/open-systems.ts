import { mkdirSync } from "node:fs";
import { FairSemaphore } from "@berth/concurrency";
import { LayerCache, RootFilesystem, type SandboxEngine } from "@berth/sandbox";
import type { Logger } from "pino";
import { type Config, layerDirectory, systemDirectory } from "../config/config.ts";
import type { SystemParts } from "../runs/system/session-system.ts";

/** Each may take two cores and 3 GiB of memory. No organization's scripts take every place. */
const LAYERS_AT_ONCE = { slots: 3, perOwner: 2 };

/** Null where sandboxes have what their engine gives them. */
export function openSystems(config: Config, engine: SandboxEngine, log: Logger): SystemParts | null {
  if (config.rootfs === "host" || config.sandbox !== "bubblewrap") return null;
  const directory = layerDirectory(config);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const turns = new FairSemaphore(LAYERS_AT_ONCE);
  const tell = (line: string) => log.info(line);
  return {
    tree: RootFilesystem.open({ directory: systemDirectory(config), log: tell }),
    layers: new LayerCache({ directory, engine, acquire: (tenant) => turns.acquire(tenant), log: tell }),
    sources: { npmRegistry: config.npmRegistry, pipIndex: config.pipIndex },
  };
}
