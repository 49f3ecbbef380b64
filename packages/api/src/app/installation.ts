import type { HealthCheck, HealthHost, SERVICE_FAULTS } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import type { AvailableModels } from "../features/agents/available-models.ts";

/** Facts that a service knows about its installation. */
export interface Installation {
  checks(db: Queryable, models: Pick<AvailableModels, "list">): Promise<HealthCheck[]>;
  hosts(db: Queryable): Promise<HealthHost[]>;
  /** Returns why no service of the database runs sessions, where this one does not; null when one does. */
  fault(db: Queryable): Promise<(typeof SERVICE_FAULTS)[number] | null>;
}
