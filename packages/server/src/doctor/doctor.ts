import { join } from "node:path";
import { orAborted } from "@berth/concurrency";
import {
  builtRootFilesystem,
  type Capability,
  describeRootFilesystem,
  type SandboxEngine,
} from "@berth/sandbox";
import { isolationCapabilities, probeEngine } from "@berth/sandbox/probes";
import { type DatabaseAddress, openDatabase, type Queryable } from "@berth/store/db";
import { createLog, createRedactor } from "@berth/store/log";
import { describeCeilings } from "../checks/describe-ceilings.ts";
import { describeDataDirectory } from "../checks/describe-data-directory.ts";
import { describeHardLimits } from "../checks/describe-hard-limits.ts";
import { describeModels } from "../checks/describe-models.ts";
import { describeNetwork } from "../checks/describe-network.ts";
import { describeRole } from "../checks/describe-role.ts";
import { describeSettings } from "../checks/describe-settings.ts";
import { describeStoredResources } from "../checks/describe-stored-resources.ts";
import { type Config, systemDirectory } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import type { SettingValues } from "../config/read-config.ts";
import { withPlace } from "../config/with-place.ts";
import { withSettings } from "../config/with-settings.ts";
import { describeHosts } from "../start/describe-hosts.ts";
import { describeWarmPool } from "../start/describe-warm-pool.ts";
import { openEngine } from "../start/open-engine.ts";
import { openModels } from "../start/open-models.ts";
import { openStore } from "../start/open-store.ts";
import { ownHost } from "../start/own-host.ts";
import { untilAskedToEnd } from "../start/until-asked-to-end.ts";
import { describeContents } from "./describe-contents.ts";
import { describeDatabaseUser } from "./describe-database-user.ts";
import { withDataDirectory } from "./with-data-directory.ts";

/**
 * Reports what this machine provides and lacks for an installation: settings, database, models, sandbox.
 * Starts the parts that it examines and stops them again, whether or not the service runs. Leaves nothing
 * behind where there is no installation. Never throws.
 */
export async function doctor(
  flags: Readonly<Record<string, string | undefined>> = {},
): Promise<Capability[]> {
  try {
    return await withSettings(flags, async (config, values) =>
      (await examine(config)).map((capability) => placed(capability, values)),
    );
  } catch (error) {
    const faults = error instanceof ConfigError ? error.faults : [(error as Error).message];
    return faults.map((detail) => ({ name: "settings", state: "no", detail }));
  }
}

async function examine(config: Config): Promise<Capability[]> {
  const examined = await withDataDirectory(config, async (own) => ({
    database: await database(own),
    models: await models(own),
    sandbox: own.role === "api" ? [] : await sandbox(own),
  }));
  return [
    describeSettings(config),
    describeRole(config),
    describeNetwork(config),
    describeDataDirectory(config),
    describeCeilings(config),
    describeHardLimits(config),
    ...examined.database,
    describeDatabaseUser(config),
    examined.models,
    ...examined.sandbox,
  ].filter((capability) => capability !== null);
}

/** Adds where a setting was given to a capability that is missing, since the setting may be the cause. */
function placed(capability: Capability, values: SettingValues): Capability {
  if (capability.state !== "no") return capability;
  return { ...capability, detail: withPlace(capability.detail, values) };
}

const SILENT_LOG = createLog("silent", createRedactor());

async function database(config: Config): Promise<Capability[]> {
  const name = "database";
  try {
    const inside = await untilAskedToEnd(async (signal) => {
      const store = await openStore(config, SILENT_LOG, signal);
      return await orAborted(inDatabase(config, store.address), signal).finally(() => store.stop());
    });
    const kind =
      config.databaseUrl === null ? "The embedded PostgreSQL" : "The PostgreSQL of BERTH_DATABASE_URL";
    return [
      { name, state: "yes", detail: `${kind} starts, is durable, and has the current schema.` },
      ...inside,
    ];
  } catch (error) {
    return [{ name, state: "no", detail: (error as Error).message }];
  }
}

async function inDatabase(config: Config, address: DatabaseAddress): Promise<Capability[]> {
  const db = openDatabase({ ...address, log: SILENT_LOG, max: 1, readers: 1 });
  try {
    const contents = await describeContents(config, db);
    const pool = await describeWarmPool(config, db.read);
    return [
      ...[contents, pool].filter((one) => one !== null),
      ...(await hosts(config, db.read)),
      ...(await describeStoredResources(config, db.read)),
    ];
  } finally {
    await db.close();
  }
}

/** Compares the settings with those of other services. Returns an empty list when models cannot be read. */
async function hosts(config: Config, db: Queryable): Promise<Capability[]> {
  const registry = await openModels(config, SILENT_LOG).catch(() => null);
  return registry === null ? [] : [await describeHosts(db, ownHost(config, registry.list()))];
}

async function models(config: Config): Promise<Capability> {
  try {
    const listed = (await openModels(config, SILENT_LOG)).list();
    return describeModels(listed.map(({ provider }) => provider));
  } catch (error) {
    return { name: "models", state: "no", detail: (error as Error).message };
  }
}

async function sandbox(config: Config): Promise<Capability[]> {
  try {
    const engine = await openEngine(config, "doctor", SILENT_LOG);
    try {
      // Removes sandboxes of an earlier doctor that was killed.
      await engine.sweep();
      const probed = (await engine.probe()).filter(({ name }) => !isHostProgram(name, config));
      const rootFilesystem =
        config.sandbox === "bubblewrap"
          ? [await describeRootFilesystem(systemDirectory(config), config.rootfs)]
          : [];
      // If no pods can be created, the sandbox for the probes cannot be opened either.
      const opens = !probed.some(({ name, state }) => name === "pods" && state === "no");
      return [...probed, ...rootFilesystem, ...(opens ? await isolation(engine, config) : [])];
    } finally {
      await engine.close();
    }
  } catch (error) {
    return [{ name: "sandbox", state: "no", detail: (error as Error).message }];
  }
}

/** Returns whether new sessions use the program of their root filesystem, not that of the host. */
function isHostProgram(name: string, config: Config): boolean {
  return rootFilesystemOf(config) !== null && ["git", "gh", "bash"].includes(name);
}

/** User ids of the probes, below those of sessions. */
const PROBE_UIDS = [299_998, 299_999] as const;

/** Runs the escape probes inside a sandbox opened for this purpose. */
async function isolation(engine: SandboxEngine, config: Config): Promise<Capability[]> {
  try {
    const directory = join(config.dataDir, "doctor");
    const rootFilesystem = rootFilesystemOf(config);
    const spec = rootFilesystem === null ? {} : { system: { rootFilesystem } };
    return isolationCapabilities(
      engine.name,
      await probeEngine(engine, { directory, uids: PROBE_UIDS, spec }),
    );
  } catch (error) {
    const detail = `No sandbox could be opened to test its isolation: ${(error as Error).message}`;
    return [{ name: "isolation", state: "no", detail }];
  }
}

/** Returns the root filesystem of new sessions, or null where the engine has its own. */
function rootFilesystemOf(config: Config): string | null {
  const own = config.sandbox === "bubblewrap" && config.rootfs === "debian";
  return own ? builtRootFilesystem(systemDirectory(config)) : null;
}
