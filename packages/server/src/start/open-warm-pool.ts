import { resolveResources } from "@berth/api/features";
import { WarmPool } from "@berth/runs/disks";
import { newOwnerName } from "@berth/runs/lease";
import { limitsOf } from "@berth/runs/workspace";
import type { SandboxEngine } from "@berth/sandbox";
import type { Database } from "@berth/store/db";
import type { Host } from "@berth/store/leases";
import type { Logger } from "pino";
import { readCeilings, usualPids } from "../config/ceilings.ts";
import type { Config } from "../config/config.ts";
import { hasPodGateway } from "./pod-gateway.ts";

/**
 * Opens the warm pool, also where its size is 0, so that a previous pool is removed. Returns null when the
 * engine cannot create sandboxes in advance.
 */
export function openWarmPool(
  config: Config,
  { db, engine, host }: { db: Database; engine: SandboxEngine; host: Host },
  log: Logger,
): WarmPool | null {
  const { warm, disks } = engine;
  if (warm === undefined || disks === undefined) return null;
  const ceilings = readCeilings(config);
  const limits = limitsOf(
    { limits: resolveResources(null, { ceilings, usualPids: usualPids(config) }) },
    ceilings,
  );
  return new WarmPool({
    ...{ db: db.write, log, warm, disks },
    ...{ place: host.place, hostId: host.id, owner: newOwnerName(host.id) },
    size: config.kubernetesWarmPods,
    defaultShape: {
      ...{ limits, image: null, runtimeClass: null, writable: [] },
      hasTunnel: hasPodGateway(config),
    },
  });
}
