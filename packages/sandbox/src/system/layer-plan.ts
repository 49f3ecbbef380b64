import { createHash } from "node:crypto";
import type { EgressPolicy } from "@berth/egress";

/** How a layer is built: one script, run as root over the layers below. */
export interface LayerPlan {
  /** For people and logs, such as `apt packages`. */
  name: string;
  script: string;
  environment: Readonly<Record<string, string>>;
  egress: EgressPolicy;
}

/**
 * The name of the layer that a plan builds over others. Equal names mean the same layer, so the name is a hash of the tenant and
 * of everything that the layer depends on, except the versions of packages for which the plan names none.
 *
 * @param below Names of the root filesystem and of the layers below, from the lowest.
 */
export function layerName(tenant: string, below: readonly string[], plan: LayerPlan): string {
  const { script, environment, egress } = plan;
  const variables = Object.entries(environment).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const policy = [egress.mode, egress.hosts.toSorted()];
  const text = JSON.stringify([1, tenant, below, script, variables, policy]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
