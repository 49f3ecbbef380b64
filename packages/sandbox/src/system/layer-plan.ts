import { createHash } from "node:crypto";
import type { EgressPolicy } from "@berth/egress";
import type { MountedDirectory } from "../interface/spec.ts";

/** The plan of a layer: one script, run as root over the layers below. */
export interface LayerPlan {
  /** Name for people and logs, such as `apt packages`. */
  name: string;
  script: string;
  environment: Readonly<Record<string, string>>;
  egress: EgressPolicy;
  /**
   * Exit code by which the script says that it has installed a part; the last line of its output is then
   * `not installed: NAME...`. Default: every exit code but 0 is a failure of the whole.
   */
  partialExitCode?: number;
  /** See `SystemLayers.packages`. */
  packages?: true;
  /** The session's runtimes, which the script may use. Default: none. */
  runtimes?: LayerRuntimes | null;
}

export interface LayerRuntimes {
  /** Names of their trees. */
  trees: readonly string[];
  /** See `SandboxSpec.directories`. */
  directories: readonly MountedDirectory[];
  /** Variables of commands that use them. They follow from the trees. */
  variables: Readonly<Record<string, string>>;
}

/**
 * Returns the name of the layer that a plan builds over others. Equal names mean the same layer, so the name
 * is a hash of the tenant and of everything that the layer depends on. Versions of packages count only when
 * the plan names them.
 *
 * @param below Names of the root filesystem and of the layers below, from the lowest.
 */
export function layerName(tenant: string, below: readonly string[], plan: LayerPlan): string {
  const { script, environment, egress, runtimes = null } = plan;
  const variables = Object.entries(environment).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const policy = [egress.mode, egress.hosts.toSorted()];
  const trees = runtimes === null || runtimes.trees.length === 0 ? [] : [runtimes.trees];
  const text = JSON.stringify([1, tenant, below, script, variables, policy, ...trees]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
