import { listHosts } from "@berth/api/administration";
import type { Installation } from "@berth/api/app";
import { runnersSeen } from "@berth/runs/lease";
import { describeCeilings } from "../checks/describe-ceilings.ts";
import { describeDataDirectory } from "../checks/describe-data-directory.ts";
import { describeHardLimits } from "../checks/describe-hard-limits.ts";
import { describeModels } from "../checks/describe-models.ts";
import { describeNetwork } from "../checks/describe-network.ts";
import { describeRole } from "../checks/describe-role.ts";
import { describeSettings } from "../checks/describe-settings.ts";
import { describeStoredResources } from "../checks/describe-stored-resources.ts";
import type { Config } from "../config/config.ts";
import { describeHosts } from "./describe-hosts.ts";
import { describeWarmPool } from "./describe-warm-pool.ts";
import { installationId } from "./installation-id.ts";
import { ownHost } from "./own-host.ts";

/** Milliseconds after which a host counts as unseen. Runners are marked as seen every two seconds. */
const MAX_UNSEEN_MS = 15_000;

/** Returns the checks of `doctor` that need no probe, and the services of the database. */
export function describeInstallation(config: Config): Installation {
  const unseenMs = Math.min(MAX_UNSEEN_MS, config.hostGraceSeconds * 1_000);
  return {
    async checks(db, models) {
      const listed = models.list();
      const pool = await describeWarmPool(config, db);
      return [
        describeSettings(config),
        describeRole(config),
        describeNetwork(config),
        describeDataDirectory(config),
        describeCeilings(config),
        describeHardLimits(config),
        await describeHosts(db, ownHost(config, listed)),
        ...(await describeStoredResources(config, db)),
        pool,
        describeModels(listed.map(({ provider }) => provider)),
      ].filter((check) => check !== null);
    },
    async fault(db) {
      return config.role !== "api" || (await runnersSeen(db, unseenMs)) ? null : "no_runner";
    },
    async hosts(db) {
      const hosts = await listHosts(db, installationId(config.dataDir));
      return hosts.map(({ id, name, role, version, capacity, seen_at, draining, ...host }) => {
        const { sessions, deleted_sessions, other_settings } = host;
        return {
          id,
          name,
          role,
          version,
          capacity,
          seen_at,
          draining,
          sessions,
          deleted_sessions,
          other_settings,
        };
      });
    },
  };
}
