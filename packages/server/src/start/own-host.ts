import { hostname } from "node:os";
import { settingsOfOthers } from "@berth/runs/lease";
import type { Queryable } from "@berth/store/db";
import { differingSettings, type Host, localPlace } from "@berth/store/leases";
import type { Logger } from "pino";
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "../config/config.ts";
import { settingDigests } from "../config/setting-digests.ts";
import { installationId } from "./installation-id.ts";

/**
 * Returns this installation as a host of its database.
 * @param models Models as the registry lists them.
 * @param place Place of its disks. Default: this machine.
 */
export function ownHost(config: Config, models: readonly object[], place?: string): Host {
  const id = installationId(config.dataDir);
  return {
    id,
    name: hostname(),
    place: place ?? localPlace(id),
    version: manifest.version,
    role: config.role,
    settings: settingDigests(config, models),
    graceMs: config.hostGraceSeconds * 1_000,
  };
}

/** Returns a sentence for the operator for each other running host with different settings. */
export async function describeDifferences(db: Queryable, host: Host): Promise<string[]> {
  const others = await settingsOfOthers(db, host.id, host.graceMs);
  return others.flatMap(({ id, settings }) => {
    const names = differingSettings(host.settings, settings);
    return names.length === 0 ? [] : [`Host ${id} has different values for ${names.join(", ")}.`];
  });
}

/** Logs hosts with other settings, since the behaviour of a session depends on which of them runs it. */
export async function warnOfDifferences(db: Queryable, host: Host, log: Logger): Promise<void> {
  for (const difference of await describeDifferences(db, host))
    log.warn({ difference }, "another service of this database runs with other settings");
}
