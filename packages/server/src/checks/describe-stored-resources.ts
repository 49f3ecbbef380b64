import type { Capability } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import { readCeilings } from "../config/ceilings.ts";
import type { Config } from "../config/config.ts";
import { environmentsAbove } from "./stored-resources-store.ts";

/** Reports whether stored environments exceed the current ceilings. Returns an empty list when none does. */
export async function describeStoredResources(config: Config, db: Queryable): Promise<Capability[]> {
  const above = await environmentsAbove(db, readCeilings(config));
  if (above === 0) return [];
  const detail = `Environments that ask for more than the ceilings: ${above}. Their sessions have the ceilings; lowered_limits of session.container_started says which.`;
  return [{ name: "ceilings_stored", state: "degraded", detail }];
}
