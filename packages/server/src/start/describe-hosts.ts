import type { Capability } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Host } from "@berth/store/leases";
import { describeDifferences } from "./own-host.ts";

/** Reports whether the other services of the database have the settings of this one. */
export async function describeHosts(db: Queryable, own: Host): Promise<Capability> {
  const name = "hosts";
  const differences = await describeDifferences(db, own);
  if (differences.length > 0) return { name, state: "degraded", detail: differences.join(" ") };
  const detail = "All services of this database have the same settings for sessions.";
  return { name, state: "yes", detail };
}
