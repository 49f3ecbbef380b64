import type { HealthCheck, HealthHost, SERVICE_FAULTS } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import type { AvailableModels } from "../features/agents/resolve-agent.ts";

/** What a service can tell of its installation. */
export interface Installation {
  checks(db: Queryable, models: Pick<AvailableModels, "list">): Promise<HealthCheck[]>;
  hosts(db: Queryable): Promise<HealthHost[]>;
  /** Why no service of the database runs sessions, where this one does not. */
  fault(db: Queryable): Promise<(typeof SERVICE_FAULTS)[number] | null>;
}
