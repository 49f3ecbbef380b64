import type { Capability } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import { readCeilings } from "../config/ceilings.ts";
import type { Config } from "../config/config.ts";
import { environmentsAbove } from "./stored-resources-store.ts";

/** Reports whether stored environments exceed the current ceilings. Returns an empty list when none does. */
export async function describeStoredResources(config: Config, db: Queryable): Promise<Capability[]> {
  const above = await environmentsAbove(db, readCeilings(config));
  if (above === 0) return [];
  const detail = `Environments that request more than the ceilings: ${above}. Their sessions get the ceilings, and lowered_limits of session.container_started names them.`;
  return [{ name: "ceilings_stored", state: "degraded", detail }];
}
