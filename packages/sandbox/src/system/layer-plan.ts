import { createHash } from "node:crypto";
import type { EgressPolicy } from "@berth/egress";

/** How a layer of a system is made: one script, run as root over what lies below it. */
export interface LayerPlan {
  /** For people and logs, such as `apt packages`. */
  name: string;
  script: string;
  environment: Readonly<Record<string, string>>;
  egress: EgressPolicy;
}

/**
 * Names the layer that a plan makes on top of others. Whoever has the same name gets the same layer, so it holds who may share
 * it and all that the layer depends on but the versions of packages that no plan names.
 *
 * @param sharers Who may have it in common.
 * @param below Names of the tree and the layers below, from the lowest.
 */
export function layerName(sharers: string, below: readonly string[], plan: LayerPlan): string {
  const { script, environment, egress } = plan;
  const variables = Object.entries(environment).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const policy = [egress.mode, egress.hosts.toSorted()];
  const text = JSON.stringify([1, sharers, below, script, variables, policy]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
