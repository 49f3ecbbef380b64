import { createHash } from "node:crypto";
import type { EgressPolicy } from "@berth/egress";

/** The plan of a layer: one script, run as root over the layers below. */
export interface LayerPlan {
  /** Name for people and logs, such as `apt packages`. */
  name: string;
  script: string;
  environment: Readonly<Record<string, string>>;
  egress: EgressPolicy;
}

/**
 * Returns the name of the layer that a plan builds over others. Equal names mean the same layer, so the name
 * is a hash of the tenant and of everything that the layer depends on. Versions of packages count only when
 * the plan names them.
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
