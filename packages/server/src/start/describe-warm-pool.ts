import { countReady } from "@berth/runs/disks";
import type { Capability } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Config } from "../config/config.ts";

/** Reports how many sandboxes of the warm pool are ready. Returns null where there is no pool. */
export async function describeWarmPool(
  { sandbox, kubernetesWarmPods: size }: Pick<Config, "sandbox" | "kubernetesWarmPods">,
  db: Queryable,
): Promise<Capability | null> {
  if (sandbox !== "kubernetes" || size === 0) return null;
  const name = "warm_pods";
  const ready = await countReady(db);
  const told = `${ready} of ${size}pods are ready for new sessions`;
  if (ready >= size) return { name, state: "yes", detail: `${told}.` };
  const why = "A runner creates the others one after another, and logs each failure";
  return { name, state: "degraded", detail: `${told}. ${why}.` };
}
