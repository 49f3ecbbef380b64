import type { Capability } from "@berth/sandbox";
import type { Config } from "../config/config.ts";
import { type Role, requirePooler, requireShared } from "../config/roles.ts";

const DUTIES: Readonly<Record<Role, string>> = {
  all: "This service serves the API and runs sessions.",
  api: "This service only serves the API. Sessions run in services with the role all or runner, where berth doctor examines the sandbox.",
  runner: "This service only runs sessions. Services with the role all or api serve the API.",
  egress:
    "This service is the egress gateway for sandboxes on other hosts. Sessions run in services with the role runner.",
};

/** Reports the role of the service, and whether the settings that the role requires are present. */
export function describeRole(config: Config): Capability {
  const name = "role";
  try {
    requireShared(config);
    requirePooler(config);
    return { name, state: "yes", detail: DUTIES[config.role] };
  } catch (error) {
    return { name, state: "no", detail: (error as Error).message };
  }
}
