import { existsSync } from "node:fs";
import type { Capability } from "../interface/capability.ts";
import { missingForBuilding, missingForMounting, missingSpace } from "./missing-for-root-filesystem.ts";
import { DEBIAN_RECIPE, recipeKey } from "./recipe.ts";

/** Returns the path of this version's root filesystem in the directory; null when it is not built yet. */
export function builtRootFilesystem(directory: string): string | null {
  const path = `${directory}/${recipeKey(DEBIAN_RECIPE)}`;
  return existsSync(path) ? path : null;
}

/**
 * Returns which root filesystem sandboxes get on this machine, and why, for `berth doctor`. Never throws, and
 * builds nothing.
 */
export async function describeRootFilesystem(
  directory: string,
  setting: "debian" | "host",
): Promise<Capability> {
  const name = "root_filesystem";
  const host =
    "Sandboxes use the host's /usr, and environments with packages or a setup script cannot be used";
  if (setting === "host") return { name, state: "yes", detail: `${host}: BERTH_ROOTFS is host.` };
  const missing = await missingForMounting(directory);
  if (missing !== null) return { name, state: "degraded", detail: `${host}: ${missing}.` };
  const key = recipeKey(DEBIAN_RECIPE);
  if (builtRootFilesystem(directory) !== null)
    return {
      name,
      state: "yes",
      detail: `Sandboxes use Berth's own Debian (${key}), with git, gh, Python and Node.js.`,
    };
  const missingTool = missingForBuilding();
  if (missingTool !== null) return { name, state: "degraded", detail: `${host}: ${missingTool}.` };
  const full = await missingSpace(directory);
  if (full !== null) return { name, state: "degraded", detail: `Sessions cannot start: ${full}.` };
  const detail = `The service builds Berth's own Debian (${key}) when it starts, and sessions wait for it. To build it now: berth system build.`;
  return { name, state: "yes", detail };
}
